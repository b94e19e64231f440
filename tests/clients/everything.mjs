// Use all of the everything server with the official TypeScript SDK, in whose folder this runs.
// Takes on standard input {"command": […], "cwd": "…", "mode": …} or {"url": "…", "mode": …}, gives what it saw.
import { readFileSync } from 'node:fs';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const task = JSON.parse(readFileSync(0, 'utf8'));
const mode = task.mode === 'legacy' ? 'legacy' : { pin: task.mode };
const client = new Client(
  { name: 'matrix', version: '1' },
  { capabilities: { sampling: {}, elicitation: {} }, versionNegotiation: { mode } },
);
client.setRequestHandler('sampling/createMessage', async (request) => ({
  role: 'assistant', model: 'm',
  content: { type: 'text', text: `sampled ${request.params.messages[0].content.text}` },
}));
client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { username: 'ann' } }));
const transport = task.url
  ? new StreamableHTTPClientTransport(new URL(task.url))
  : new StdioClientTransport({ command: task.command[0], args: task.command.slice(1), cwd: task.cwd });
await client.connect(transport);

const text = async (name, args = {}, options = undefined) =>
  (await client.callTool({ name, arguments: args }, options)).content[0].text;
const readText = async (uri) => (await client.readResource({ uri })).contents[0].text;
const progress = [];
const found = {
  tools: (await client.listTools()).tools.length,
  text: await text('test_simple_text'),
  is_error: (await client.callTool({ name: 'test_error_handling', arguments: {} })).isError,
  image: (await client.callTool({ name: 'test_image_content', arguments: {} })).content[0].mimeType,
  resources: (await client.listResources()).resources.length,
  resource: await readText('test://static-text'),
  template: await readText('test://template/7/data'),
  prompts: (await client.listPrompts()).prompts.length,
  prompt: (await client.getPrompt({ name: 'test_prompt_with_arguments', arguments: { arg1: 'a', arg2: 'b' } }))
    .messages[0].content.text,
  completion: (await client.complete({
    ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' }, argument: { name: 'arg1', value: 'par' },
  })).completion.values,
  sampled: await text('test_sampling', { prompt: 'x' }),
  elicited: await text('test_elicitation', { message: 'x' }),
};
await text('test_tool_with_progress', {}, { onprogress: (one) => progress.push(one.progress) });
found.progress = progress;
found.version = client.getNegotiatedProtocolVersion?.() ?? null;
await client.close();
process.stdout.write(JSON.stringify(found));
