// A client of an MCP server, made with one of the TypeScript SDKs; prints what it got as one JSON document.
// Usage: node client.mjs '{"modules": FOLDER, "sdk": "v1|v2|v2-legacy", "command": [...], "cwd": "", "url": "", "token": "", "path": "", "uri": ""}'
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const wanted = JSON.parse(process.argv[2]);
const load = (path) => import(pathToFileURL(join(wanted.modules, "@modelcontextprotocol", path)).href);

let Client, Stdio, Http, updated;
if (wanted.sdk === "v1") {
  ({ Client } = await load("sdk/dist/esm/client/index.js"));
  ({ StdioClientTransport: Stdio } = await load("sdk/dist/esm/client/stdio.js"));
  ({ StreamableHTTPClientTransport: Http } = await load("sdk/dist/esm/client/streamableHttp.js"));
  ({ ResourceUpdatedNotificationSchema: updated } = await load("sdk/dist/esm/types.js"));
} else {
  ({ Client, StreamableHTTPClientTransport: Http } = await load("client/dist/index.mjs"));
  ({ StdioClientTransport: Stdio } = await load("client/dist/stdio.mjs"));
  updated = "notifications/resources/updated";
}

const mode = { v1: {}, v2: { versionNegotiation: { mode: "auto" } }, "v2-legacy": {} }[wanted.sdk];
const client = new Client({ name: "tests", version: "1" }, { capabilities: {}, ...mode });
const headers = wanted.token ? { authorization: `Bearer ${wanted.token}` } : {};
const transport = wanted.url
  ? new Http(new URL(wanted.url), { requestInit: { headers } })
  : new Stdio({ command: wanted.command[0], args: wanted.command.slice(1), cwd: wanted.cwd, env: process.env });

let heard;
const update = new Promise((resolve) => (heard = resolve));
client.setNotificationHandler(updated, (message) => heard(message.params.uri));
await client.connect(transport);

const call = async (name, args, options) =>
  (await client.callTool({ name, arguments: args }, ...(wanted.sdk === "v1" ? [undefined] : []), options)).structuredContent;
const refusal = async (work) => {
  try {
    await work();
    return null;
  } catch (error) {
    return { code: error.code, message: error.message };
  }
};

const steps = [];
const loop = "fn main() -> Int {\n    let mut n: Int = 0\n    while n < 1000000 { n = n + 1 }\n    n\n}\n";
const said = {
  server: client.getServerVersion(),
  tools: (await client.listTools()).tools.map((tool) => tool.name),
  check: await call("boruna_check", { path: wanted.path }),
  run: await call("boruna_run", { source: loop }, { onprogress: (progress) => steps.push(progress.progress) }),
  refused: await refusal(() => call("boruna_check", {})),
  resources: (await client.listResources()).resources.length,
  text: (await client.readResource({ uri: wanted.uri })).contents[0].text,
  prompts: (await client.listPrompts()).prompts.map((prompt) => prompt.name),
  steps: steps.length,
};

// A stopped call must leave the server free for the next one.
const stop = new AbortController();
const endless = "fn main() -> Int {\n    let mut n: Int = 0\n    while n >= 0 { n = n - n }\n    n\n}\n";
setTimeout(() => stop.abort(), 300);
said.stopped = await refusal(() => call("boruna_run", { source: endless, max_steps: 2 ** 50 }, { signal: stop.signal }));
said.after = (await call("boruna_run", { source: "fn main() -> Int { 7 }" })).result;

if (wanted.watch) {
  if (wanted.sdk === "v2") await client.listen({ resourceSubscriptions: [wanted.watch] });
  else await client.subscribeResource({ uri: wanted.watch });
  console.error("subscribed");
  said.updated = await update;
}
console.log(JSON.stringify(said));
await client.close();
