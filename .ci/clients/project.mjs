// What the client scripts share: a fresh project, the checks, the count at the end.
import { mkdtempSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const tools = ['add_features', 'append_progress', 'commit', 'harness_init', 'list_features', 'mark_feature_passed',
  'next_feature', 'report_regression', 'rollback', 'session_end', 'session_start', 'status', 'verify_features'];
export const prompts = ['cleanup', 'continue', 'end-session', 'evaluate', 'initialize', 'status'];
export const resources = ['harness://status', 'harness://features', 'harness://progress', 'harness://architecture', 'harness://init-script'];

// fresh makes an empty project and a home with a git identity, and the environment to run in.
export function fresh() {
  const top = mkdtempSync(join(tmpdir(), 'longhaul-client-'));
  const home = join(top, 'home');
  const folder = join(top, 'project');
  mkdirSync(home);
  mkdirSync(folder);
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Client\n\temail = client@example.invalid\n[init]\n\tdefaultBranch = main\n');
  return { home, folder, env: { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' } };
}

// at looks a dotted path up in a value.
export const at = (value, path) => path.split('.').reduce((v, key) => v?.[key], value);

let passed = 0;
let failed = 0;

// check counts one expectation and prints it when it does not hold.
export function check(what, holds, seen) {
  if (holds) {
    passed++;
    return;
  }
  failed++;
  console.error(`FAIL ${what}\n     got ${JSON.stringify(seen)?.slice(0, 600)}`);
}

// judge holds the result of a tool call against a line of the day.
export function judge(label, line, result) {
  const what = `${label} ${line.tool} ${JSON.stringify(line.arguments)}`;
  const text = (result.content ?? []).map((block) => block.text).join('\n');
  if (line.code) {
    check(`${what}: refused with ${line.code}`, result.isError === true && text.startsWith(`${line.code}: `), text);
    return;
  }
  check(`${what}: done`, !result.isError && text !== '', text);
  for (const [path, want] of Object.entries(line.wants ?? {})) {
    const got = at(result.structuredContent, path);
    check(`${what}: ${path} is ${JSON.stringify(want)}`, got === want, got);
  }
}

// rejects counts an expectation that a request fails as a protocol error.
export async function rejects(what, request) {
  const outcome = await request().then((result) => ({ result }), (error) => ({ error }));
  check(what, outcome.error !== undefined, outcome.result);
}

// finish prints the count and sets the exit code.
export function finish(name) {
  console.log(`${name}: ${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}
