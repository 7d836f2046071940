// A sample project in a temporary folder, with a home of its own.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const samples = fileURLToPath(new URL('samples', import.meta.url));
const packages = fileURLToPath(new URL('node_modules', import.meta.url));

export class Project {
  // The sample as it is before the feature is built, in a first commit. More goes into its environment.
  constructor(kind, more = {}) {
    this.kind = kind;
    this.top = realpathSync(mkdtempSync(join(tmpdir(), `longhaul-${kind}-`)));
    this.folder = join(this.top, 'project');
    const home = join(this.top, 'home');
    const temp = join(this.top, 'tmp');
    for (const dir of [home, temp]) mkdirSync(dir);
    writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Proof\n\temail = proof@example.invalid\n[init]\n\tdefaultBranch = main\n');
    this.env = { PATH: process.env.PATH, HOME: home, TMPDIR: temp, GIT_CONFIG_NOSYSTEM: '1', NODE_PATH: packages, ...more };
    cpSync(join(samples, kind, 'start'), this.folder, { recursive: true });
    this.run('git', 'init', '-q');
    this.run('git', 'add', '.');
    this.run('git', 'commit', '-qm', 'start');
  }

  // build lays the finished feature over the project.
  build() {
    cpSync(join(samples, this.kind, 'done'), this.folder, { recursive: true });
  }

  read(path) {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  // edit replaces a text that stands in the file once.
  edit({ file, from, to }) {
    const parts = this.read(file).split(from);
    if (parts.length !== 2) throw new Error(`${file} holds ${JSON.stringify(from)} ${parts.length - 1} times`);
    writeFileSync(join(this.folder, file), parts.join(to));
  }

  // ledger is its lines, parsed.
  ledger() {
    return this.read('.harness/ledger.jsonl').trimEnd().split('\n').map((line) => JSON.parse(line));
  }

  run(program, ...args) {
    return execFileSync(program, args, { cwd: this.folder, env: this.env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  }

  // processes are those that run in the project's folders or have them on their command line.
  processes() {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        const here = readlinkSync(`/proc/${pid}/cwd`).startsWith(this.top) || command.includes(this.top);
        return here ? [`${pid} ${command}`] : [];
      } catch {
        return []; // it has ended
      }
    });
  }

  remove() {
    rmSync(this.top, { recursive: true, force: true });
  }
}

// alive says whether the process runs; one that only waits to be reaped does not.
export function alive(pid) {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
