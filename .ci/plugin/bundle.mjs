// Starts the server of an unpacked bundle as its manifest says, for a project: node bundle.mjs FOLDER PROJECT
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [folder, project] = process.argv.slice(2);
const { server, user_config: settings } = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
if (settings.project?.type !== "directory" || !settings.project.required) throw new Error("the manifest does not ask for the project's folder");
const filled = (text) => text.replaceAll("${__dirname}", folder).replaceAll("${user_config.project}", project);
const { command, args, env } = server.mcp_config;
// Claude Desktop starts servers in no folder of the user's, with few variables.
const child = spawn(filled(command), args.map(filled), { cwd: "/", env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env }, stdio: ["pipe", "pipe", "inherit"] });
const replies = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
let id = 0;
async function ask(method, params) {
	child.stdin.write(JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }) + "\n");
	for (;;) {
		const { value, done } = await replies.next();
		if (done) throw new Error(`no reply to ${method}`);
		const reply = JSON.parse(value);
		if (reply.id !== id) continue;
		if (reply.error) throw new Error(`${method}: ${reply.error.message}`);
		return reply.result;
	}
}
const hello = await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bundle", version: "1" } });
child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
const { tools } = await ask("tools/list", {});
const status = await ask("tools/call", { name: "status", arguments: {} });
child.stdin.end();
console.log(`${hello.serverInfo.name} ${hello.serverInfo.version}: ${tools.length} tools; ${status.structuredContent.counts.total} feature in ${status.structuredContent.project.root}`);
