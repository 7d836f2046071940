// A service, proved by curl against the server that init.sh leaves running.
import { createServer } from 'node:net';
import { once } from 'node:events';
import { alive } from './project.mjs';
import { check, until } from './count.mjs';

// freePort is one that nothing listens on now.
async function freePort() {
  const probe = createServer().listen(0, 'localhost');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return String(port);
}

const port = await freePort();
const base = `http://localhost:${port}`;
const answers = () => fetch(base).then((response) => response.ok, () => false);

export const api = {
  type: 'api',
  initScript: 'start',
  environment: { PORT: port },
  bystander: { description: 'A greeting without a name is refused', priority: 1, steps: ['Ask for /greet', 'Read the status'] },
  proved: {
    description: 'A greeting names the caller', priority: 5, files: ['routes.mjs', 'server.mjs'],
    check: 'curl -fsS "http://localhost:$PORT/greet?name=Ann" | grep -F \'{"hello":"Ann"}\'',
  },
  red: { exitCode: 1, prints: ['404'] },
  green: ['{"hello":"Ann"}'],
  broken: ['404'],
  harmless: { file: 'routes.mjs', from: '{ up: true }', to: '{ up: true, version: 2 }' },
  harmful: { file: 'routes.mjs', from: "'/greet'", to: "'/hail'" },

  async opened(server, reply) {
    this.background = reply.init?.background ?? [];
    const pids = this.background.map((process) => process.pid);
    check('api: init.background names the server', pids.length > 0 && this.background.some(({ command }) => command.includes('server.mjs')), reply.init);
    check('api: what it names is alive', pids.length > 0 && pids.every(alive), this.background);
    check('api: the server answers', await answers(), base);
  },

  // node --watch starts the server anew.
  async settled() {
    const source = this.project.read('routes.mjs');
    const greets = source.includes("'/greet'");
    const version = source.includes('version: 2');
    const there = await until(async () => {
      const [root, greet] = await Promise.all([fetch(base), fetch(`${base}/greet?name=Ann`)]).catch(() => []);
      return root && (await root.json()).version === (version ? 2 : undefined) && greet.ok === greets;
    });
    check('api: the running server has taken up the edit', there, source);
    check('api: init.sh\'s process has lived on', this.background.some(({ pid }) => alive(pid)), this.background);
  },

  async closed(how) {
    const pids = this.background.map((process) => process.pid);
    check(`api: its processes are gone after ${how}`, await until(() => !pids.some(alive)), pids.filter(alive));
    check(`api: the server does not answer after ${how}`, await until(async () => !await answers()), base);
  },
};
