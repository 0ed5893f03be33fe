// The module `agents.ts` in a host with the API of VS Code 1.101, or without it: prints what it registers, before and after it is switched off.
const Module = require("node:module");
const given = JSON.parse(process.argv[2]);
const settings = { "agents.enabled": true, libsDir: "" };
const listeners = [];
const vscode = {
  workspace: {
    isTrusted: true,
    workspaceFolders: [{ uri: { scheme: "file", fsPath: given.folder } }],
    getConfiguration: () => ({
      get: (name, otherwise) => settings[name] ?? otherwise,
      update: async (name, value) => { settings[name] = value; listeners.forEach((one) => one({ affectsConfiguration: () => true })); },
    }),
    onDidChangeConfiguration: (listener) => listeners.push(listener),
  },
  window: { showInformationMessage: () => {} },
  commands: { registerCommand: (name, action) => ({ name, action }) },
  ConfigurationTarget: { Global: 1 },
  Uri: { file: (fsPath) => ({ fsPath }) },
  EventEmitter: class { constructor() { this.count = 0; this.event = () => this.count; } fire() { this.count += 1; } },
};
if (given.modern) {
  vscode.McpStdioServerDefinition = class {
    constructor(...parts) {
      [this.label, this.command, this.args, this.env, this.version] = parts;
    }
  };
  vscode.lm = { registerMcpServerDefinitionProvider: (id, provider) => { vscode.provider = provider; return { id }; } };
}
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));
const { agents } = require(given.bundle);
const server = {
  output: { info() {} }, found: { version: "0.1.0" }, command: () => given.command, onDidChange: () => ({}),
};
const parts = agents(server);

async function main() {
  const seen = [await vscode.provider?.provideMcpServerDefinitions()];
  await parts[0].action();
  seen.push(await vscode.provider?.provideMcpServerDefinitions(), vscode.provider?.onDidChangeMcpServerDefinitions());
  process.stdout.write(JSON.stringify({ id: parts.map((part) => part.id).filter(Boolean), seen }));
}

main();
