// Drives the binary with the TypeScript SDK, v1 and v2, in both protocol eras: node typescript.mjs BINARY
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { check, finish, fresh, judge, prompts, rejects, resources, tools } from './project.mjs';

const binary = process.argv[2];
const day = JSON.parse(readFileSync(new URL('day.json', import.meta.url), 'utf8'));
const clients = [
  { label: 'v1 legacy', Client: ClientV1, Stdio: StdioV1, options: {} },
  { label: 'v2 legacy', Client: ClientV2, Stdio: StdioV2, options: { versionNegotiation: { mode: 'legacy' } }, era: 'legacy' },
  { label: 'v2 auto', Client: ClientV2, Stdio: StdioV2, options: { versionNegotiation: { mode: 'auto' } }, era: 'modern' },
  { label: 'v2 modern', Client: ClientV2, Stdio: StdioV2, options: { versionNegotiation: { mode: { pin: '2026-07-28' } } }, era: 'modern' },
];

for (const { label, Client, Stdio, options, era } of clients) {
  const { folder, env } = fresh();
  const client = new Client({ name: 'typescript', version: '1' }, options);
  await client.connect(new Stdio({ command: binary, args: ['serve', '--project', folder], env, stderr: 'inherit' }));
  if (era) check(`${label}: the era is ${era}`, client.getProtocolEra() === era, client.getProtocolEra());
  check(`${label}: instructions`, client.getInstructions()?.length > 0, client.getInstructions());

  const listed = (await client.listTools()).tools;
  check(`${label}: all tools`, JSON.stringify(listed.map((t) => t.name).sort()) === JSON.stringify(tools), listed.map((t) => t.name));
  for (const tool of listed) {
    check(`${label}: ${tool.name} is described`, tool.description && tool.inputSchema && tool.outputSchema && tool.annotations?.title, tool);
  }
  for (const line of day) {
    if (line.write) writeFileSync(join(folder, line.write), 'made by the client\n');
    judge(label, line, await client.callTool({ name: line.tool, arguments: line.arguments }));
  }
  await rejects(`${label}: an unknown tool is an error`, () => client.callTool({ name: 'delete_feature', arguments: {} }));

  const uris = (await client.listResources()).resources.map((r) => r.uri);
  for (const uri of [...new Set([...resources, ...uris, 'harness://features/F001', 'harness://evidence/F001', 'harness://progress/session-001'])]) {
    const outcome = await client.readResource({ uri }).catch((error) => ({ error: String(error) }));
    check(`${label}: ${uri} is read`, outcome.contents?.[0]?.text?.length > 0, outcome);
  }
  for (const uri of resources) check(`${label}: ${uri} is listed`, uris.includes(uri), uris);
  for (const uri of ['harness://nothing', 'harness://features/F999', 'harness://features/..%2F..%2Fetc', 'file:///etc/passwd']) {
    await rejects(`${label}: ${uri} is an error`, () => client.readResource({ uri }));
  }
  const templates = (await client.listResourceTemplates()).resourceTemplates.map((t) => t.uriTemplate).sort();
  check(`${label}: templates`, templates.join(' ') === 'harness://evidence/{id} harness://features/{id} harness://progress/{session}', templates);
  const completion = await client.complete({ ref: { type: 'ref/resource', uri: 'harness://features/{id}' }, argument: { name: 'id', value: 'F00' } });
  check(`${label}: ids are completed`, completion.completion.values.includes('F001'), completion);

  const offered = (await client.listPrompts()).prompts;
  check(`${label}: all prompts`, JSON.stringify(offered.map((p) => p.name).sort()) === JSON.stringify(prompts), offered.map((p) => p.name));
  for (const prompt of offered) {
    for (const lang of ['en', 'ru', 'zh']) {
      const needed = (prompt.arguments ?? []).filter((a) => a.required).map((a) => [a.name, 'a notebook']);
      const got = await client.getPrompt({ name: prompt.name, arguments: { ...Object.fromEntries(needed), lang } });
      check(`${label}: prompt ${prompt.name} in ${lang}`, got.messages?.[0]?.content?.text?.length > 0, got);
    }
  }
  await rejects(`${label}: prompt initialize without a description is an error`, () => client.getPrompt({ name: 'initialize', arguments: {} }));
  await rejects(`${label}: an unknown prompt is an error`, () => client.getPrompt({ name: 'no-such-prompt', arguments: {} }));
  await client.close();
}
finish('TypeScript SDK');
