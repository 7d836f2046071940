// An MCP client of one server process over one project.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { check } from './count.mjs';

export class Server {
  constructor(binary, project) {
    this.project = project;
    this.transport = new StdioClientTransport({
      command: binary, args: ['serve', '--project', project.folder, '--log-level', 'error'], env: project.env, cwd: project.top, stderr: 'inherit',
    });
    this.client = new Client({ name: 'proof', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  }

  static async start(binary, project) {
    const server = new Server(binary, project);
    await server.client.connect(server.transport);
    return server;
  }

  get pid() {
    return this.transport.pid;
  }

  async stop() {
    await this.client.close();
  }

  // call expects success and gives the structured reply.
  async call(name, args = {}) {
    const result = await this.client.callTool({ name, arguments: args });
    const text = result.content.map((block) => block.text).join('\n');
    check(`${this.project.kind}: ${name} ${JSON.stringify(args)} is done`, !result.isError, text);
    return result.structuredContent ?? {};
  }

  // refused expects a refusal with the code and all texts in it; nothing of the list may change.
  async refused(name, args, code, ...texts) {
    const what = `${this.project.kind}: ${name} ${JSON.stringify(args)} is refused`;
    const before = this.project.read('.claude/features.json');
    const result = await this.client.callTool({ name, arguments: args });
    const text = result.content.map((block) => block.text).join('\n');
    check(`${what} with ${code}`, result.isError === true && text.startsWith(`${code}: `), text);
    for (const part of texts) check(`${what} and names ${part}`, text.includes(part), text);
    check(`${what} and says what is next`, text.includes('\nNext: '), text);
    check(`${what} and leaves the list`, this.project.read('.claude/features.json') === before, text);
  }

  async feature(id) {
    return (await this.call('list_features', { ids: [id] })).features?.[0] ?? {};
  }

  async evidence(id) {
    const result = await this.client.readResource({ uri: `harness://evidence/${id}` });
    return JSON.parse(result.contents[0].text);
  }
}
