// Plays the model for Claude Code: gives the replies of a script in turn and writes down what it is told.
// node model.mjs LOG: prints its port, then serves; each line of the log is one request's system text and messages.
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";

const log = process.argv[2];
const list = `${process.cwd()}/.claude/features.json`;
const use = (name, input) => ({ type: "tool_use", name, input });
const bash = (command) => use("Bash", { command, description: "a step" });
const script = [
	use("mcp__plugin_longhaul_longhaul__session_start", {}),
	bash(`sed -i 's/"passes": false/"passes": true/' .claude/features.json`),
	use("Read", { file_path: list }),
	use("Write", { file_path: list, content: "{}" }),
	use("Edit", { file_path: list, old_string: "false", new_string: "true" }),
	bash("yes | longhaul accept"),
	bash("printf 'echo hello' > greet.sh"),
	bash("p=$(printf '.claude/fea%s.json' tures); sed -i s/greeting/meeting/ \"$p\""),
	use("mcp__plugin_longhaul_longhaul__rollback", { target: "feature_list", reason: "edited past the tools" }),
	{ type: "text", text: "I stop here." },
	{ type: "text", text: "I was held, and stop all the same." },
];
let turn = 0;

function answer(request, response) {
	const main = request.tools?.length > 5; // the others are titles and the like
	const block = main ? script[Math.min(turn++, script.length - 1)] : { type: "text", text: "A title" };
	if (main) appendFileSync(log, JSON.stringify({ system: request.system, messages: request.messages, tools: request.tools.map((t) => t.name) }) + "\n");
	const stop = block.type === "tool_use" ? "tool_use" : "end_turn";
	const id = `msg_${turn}`;
	const message = { id, type: "message", role: "assistant", model: request.model, content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 10, output_tokens: 1 } };
	const content = block.type === "tool_use" ? { ...block, id: `toolu_${turn}` } : block;
	if (!request.stream) {
		response.writeHead(200, { "content-type": "application/json" });
		response.end(JSON.stringify({ ...message, content: [content], stop_reason: stop }));
		return;
	}
	response.writeHead(200, { "content-type": "text/event-stream" });
	const send = (type, data) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
	send("message_start", { message });
	if (block.type === "tool_use") {
		send("content_block_start", { index: 0, content_block: { ...content, input: {} } });
		send("content_block_delta", { index: 0, delta: { type: "input_json_delta", partial_json: JSON.stringify(block.input) } });
	} else {
		send("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
		send("content_block_delta", { index: 0, delta: { type: "text_delta", text: block.text } });
	}
	send("content_block_stop", { index: 0 });
	send("message_delta", { delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 5 } });
	send("message_stop", {});
	response.end();
}

createServer((request, response) => {
	let body = "";
	request.on("data", (piece) => (body += piece));
	request.on("end", () => {
		if (request.method === "POST" && request.url.startsWith("/v1/messages") && !request.url.includes("count_tokens")) {
			answer(JSON.parse(body), response);
			return;
		}
		response.writeHead(200, { "content-type": "application/json" });
		response.end(request.url.includes("count_tokens") ? '{"input_tokens":10}' : "{}");
	});
}).listen(0, "127.0.0.1", function () {
	console.log(this.address().port);
});
