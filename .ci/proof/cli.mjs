// A program that is run, proved by what it prints. The feature names no files: any change of the code makes it stale.
export const cli = {
  type: 'cli',
  initScript: 'prepare',
  bystander: { description: 'The options are told by --help', priority: 1, steps: ['Run words.mjs --help'] },
  proved: { description: 'Words are counted by --words', priority: 5, check: "printf 'one two\\nthree\\n' | node words.mjs --words | grep -Fx 3" },
  red: { exitCode: 1, prints: ['words: unknown option --words'] },
  green: ['3'],
  broken: [],
  harmless: { file: 'words.mjs', from: '// Counts what', to: '// Tells how much' },
  harmful: { file: 'words.mjs', from: '/\\s+/', to: '/ +/' },
};
