// Drives the binary with the MCP Inspector's command line, in both protocol eras: node inspector.mjs BINARY
// Each call is a process of its own. Exit codes: 0 done, 5 a refusal of the tool, 1 a protocol error, 6 a bad schema.
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { at, check, finish, fresh, prompts, resources, tools } from './project.mjs';

const binary = process.argv[2];
const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json');
const program = join(dirname(manifest), createRequire(import.meta.url)(manifest).bin['mcp-inspector']);

// inspectEra takes one era through a project of its own.
async function inspectEra(era) {
  const { folder, env } = fresh();

  // inspect runs one method and returns its exit code and what it printed.
  const inspect = (method, ...options) => new Promise((resolve) => {
    const args = [program, '--cli', binary, 'serve', '--project', folder, '--method', method, '--protocol-era', era, '--format', 'json', '-q', ...options];
    execFile(process.execPath, args, { env, timeout: 120_000, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      let result;
      try {
        result = JSON.parse(stdout);
        result = result.result ?? result;
      } catch {
        result = undefined;
      }
      resolve({ code: error?.code ?? 0, result, stdout, stderr });
    });
  });
  const call = async (tool, args, code, ...facts) => {
    const run = await inspect('tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args));
    check(`${era} ${tool} ${JSON.stringify(args)}: exit code ${code}`, run.code === code, run);
    for (const [path, want] of facts) {
      const got = at(run.result, path);
      check(`${era} ${tool}: ${path} is ${want}`, want instanceof RegExp ? want.test(got) : got === want, run);
    }
  };
  const refusal = (code) => ['content.0.text', new RegExp(`^${code}: `)];
  const fact = (path, want) => [`structuredContent.${path}`, want];

  const list = await inspect('tools/list', '--strict');
  check(`${era} tools/list --strict: exit code 0`, list.code === 0, list);
  check(`${era} all tools`, JSON.stringify(list.result?.tools?.map((t) => t.name).sort()) === JSON.stringify(tools), list);

  await call('status', {}, 5, refusal('not-initialized'));
  await call('harness_init', { project: 'p' }, 5, refusal('bad-argument'));
  await call('harness_init', { project: 'p', type: 'cli', features: [{ description: 'The file a exists', steps: ['ls a'], check: 'test -f a' }] }, 0, fact('counts.total', 1));
  await call('session_start', {}, 0, fact('state', 'feature'), fact('feature.id', 'F001'));
  await call('session_start', { focus: 1, colour: 'red' }, 5, refusal('bad-argument'));
  await call('list_features', {}, 0, fact('total', 1), fact('features.0.id', 'F001'));
  await call('list_features', { ids: ['F1'] }, 5, refusal('unknown-feature'));
  await call('status', { audit: 'true' }, 0, fact('counts.total', 1), fact('integrity.ok', true));
  await call('rollback', { target: 'feature_list' }, 5, refusal('bad-argument'));
  await call('rollback', { target: 'feature_list', reason: 'to see it' }, 0, fact('target', 'feature_list'));
  for (const [tool, args] of [['next_feature', {}], ['mark_feature_passed', { id: 'F001' }], ['append_progress', { focus: 'x' }],
    ['commit', { message: 'x' }], ['add_features', { features: [{ description: 'The file b exists' }] }],
    ['verify_features', {}], ['report_regression', { id: 'F001', reason: 'x' }], ['session_end', {}]]) {
    // The session belongs to the process that opened it, and that one is gone.
    await call(tool, args, 5, refusal('no-session'));
    if (era === 'legacy') await call(tool, { ...args, colour: 'red' }, 5, refusal('bad-argument'));
  }
  const unknown = await inspect('tools/call', '--tool-name', 'delete_feature', '--tool-args-json', '{}');
  check(`${era} an unknown tool is not found`, unknown.code !== 0 && /not found/.test(unknown.stderr), unknown);

  const listed = await inspect('resources/list');
  check(`${era} resources/list: exit code 0`, listed.code === 0, listed);
  for (const uri of [...resources, 'harness://features/F001']) {
    const run = await inspect('resources/read', '--uri', uri);
    check(`${era} ${uri} is read`, run.code === 0 && run.result?.contents?.[0]?.text?.length > 0, run);
  }
  for (const uri of ['harness://nothing', 'harness://features/F999']) {
    const run = await inspect('resources/read', '--uri', uri);
    check(`${era} ${uri}: exit code 1`, run.code === 1, run);
  }
  const templates = await inspect('resources/templates/list');
  check(`${era} resources/templates/list`, templates.code === 0 && templates.result?.resourceTemplates?.length === 3, templates);

  const offered = await inspect('prompts/list');
  check(`${era} all prompts`, JSON.stringify(offered.result?.prompts?.map((p) => p.name).sort()) === JSON.stringify(prompts), offered);
  for (const name of prompts) {
    const run = await inspect('prompts/get', '--prompt-name', name, '--prompt-args', 'description=notebook', 'lang=ru');
    check(`${era} prompt ${name}`, run.code === 0 && run.result?.messages?.length > 0, run);
  }
  const bad = await inspect('prompts/get', '--prompt-name', 'initialize');
  check(`${era} prompt initialize without a description: exit code 1`, bad.code === 1, bad);
}

await Promise.all(['legacy', 'modern'].map(inspectEra));
finish('MCP Inspector');
