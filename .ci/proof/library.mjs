// A module, proved by its unit tests.
export const library = {
  type: 'library',
  initScript: 'prepare',
  bystander: { description: 'An empty title is refused', priority: 1, check: "node --test --test-name-pattern='empty titles' slug.test.mjs" },
  proved: { description: 'A slug joins words by hyphens', priority: 5, check: 'node --test slug.test.mjs' },
  red: { exitCode: 1, prints: ["'hello, wide world!'", "'hello-wide-world'"] },
  green: ['# pass 1', '# fail 0'],
  broken: ["'hello_wide_world'"],
  harmless: { file: 'slug.mjs', from: '// slug makes', to: '// slug turns' },
  harmful: { file: 'slug.mjs', from: "join('-')", to: "join('_')" },

  async last(server) {
    await server.refused('mark_feature_passed', { id: 'F001' }, 'no-tests-ran', 'node --test');
  },
};
