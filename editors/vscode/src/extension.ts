// Starts the language server for .ax files and shows how it fares; everything that it can do, the language client does.

import * as path from "node:path";
import * as vscode from "vscode";
import { type Executable, LanguageClient, type LanguageClientOptions, State } from "vscode-languageclient/node";
import { daemon, WorkspaceStatus } from "./daemon";
import { PREVIEW, Previews } from "./preview";
import { toggled } from "./portable";

const RUN = "boruna.run";
const RUN_LIVE = "boruna.runLive";
const TRACE = "boruna.trace";
const RESTARTING_SETTINGS = [
  "boruna.server.path",
  "boruna.server.arguments",
  "boruna.server.standalone",
  "boruna.libsDir",
  "boruna.diagnostics.scope",
];
const CHECK_SETTINGS = `# How the programs below this folder are checked.
[check]
# Only these codes, or beginnings of codes; empty means all.
select = []
ignore = []
# Also report what boruna 3.2.0 computes differently.
portable = false

[check.severity]
# W501 = "error"
`;

let client: LanguageClient | undefined;
let output: vscode.LogOutputChannel;
let trace: vscode.OutputChannel;
let status: vscode.LanguageStatusItem;
let workspace: WorkspaceStatus;
let previews: Previews;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  output = vscode.window.createOutputChannel("Boruna", { log: true });
  trace = vscode.window.createOutputChannel("Boruna trace");
  status = vscode.languages.createLanguageStatusItem("boruna.status", { language: "boruna" });
  status.name = "Boruna";
  workspace = new WorkspaceStatus(() => client);
  previews = new Previews(() => client, output);
  const commands: [string, () => unknown][] = [
    ["boruna.restart", restart],
    ["boruna.showOutput", () => output.show(true)],
    ["boruna.runProgram", () => execute(RUN)],
    ["boruna.runProgramLive", () => execute(RUN_LIVE)],
    ["boruna.traceProgram", () => execute(TRACE)],
    ["boruna.restartDaemon", restartDaemon],
    ["boruna.showDaemonStatus", () => showDaemon("status")],
    ["boruna.showDaemonLog", () => showDaemon("logs", "--lines", "200")],
    ["boruna.openCheckSettings", openCheckSettings],
    ["boruna.togglePortable", togglePortable],
    ["boruna.openWalkthrough", () => walkthrough(context.extension.id)],
  ];
  context.subscriptions.push(
    output,
    trace,
    status,
    workspace,
    previews,
    ...commands.map(([name, action]) => vscode.commands.registerCommand(name, action)),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (RESTARTING_SETTINGS.some((setting) => change.affectsConfiguration(setting))) {
        void restart();
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await stop();
}

async function start(): Promise<void> {
  const server = executable();
  const settings = vscode.workspace.getConfiguration("boruna");
  const scope = settings.get("diagnostics.scope", "workspace");
  const options: LanguageClientOptions = {
    initializationOptions: { diagnostics: { scope } },
    documentSelector: [{ language: "boruna" }],
    outputChannel: output,
    traceOutputChannel: trace,
    middleware: {
      // The client asks for the whole workspace as soon as a server can tell of it.
      provideWorkspaceDiagnostics: (known, token, report, next) =>
        scope === "workspace" ? next(known, token, report) : { items: [] },
      // Whoever asks, a button, a code lens or a key: the whole answer is in the output.
      executeCommand: async (command, args, next) => {
        if (command === PREVIEW) {
          // The server would open the page in a browser.
          return previews.show(typeof args[0] === "string" ? args[0] : undefined);
        }
        const answer = await next(command, args);
        output.info(`${command}\n${JSON.stringify(answer, null, 2)}`);
        return answer;
      },
    },
  };
  const starting = new LanguageClient("boruna", "Boruna", server, options);
  client = starting;
  previews.listen(starting);
  starting.onDidChangeState(({ newState }) => {
    if (client === starting) {
      show(newState);
    }
  });
  show(State.Starting);
  output.info(`starting ${[server.command, ...(server.args ?? [])].join(" ")}`);
  try {
    await starting.start();
    output.info(`${starting.initializeResult?.serverInfo?.name} ${starting.initializeResult?.serverInfo?.version} runs`);
  } catch (error) {
    show(State.Stopped);
    output.error(`the language server does not start: ${error instanceof Error ? error.message : String(error)}`);
    void complain(server.command);
  }
}

async function stop(): Promise<void> {
  const stopping = client;
  client = undefined;
  try {
    await stopping?.dispose();
  } catch (error) {
    // A server that never ran, or died, cannot be asked to shut down.
    output.warn(String(error));
  }
}

async function restart(): Promise<void> {
  await stop();
  await start();
}

function executable(): Executable {
  const settings = vscode.workspace.getConfiguration("boruna");
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file")?.uri.fsPath;
  const command = inFolder(settings.get("server.path", "boruna-lsp").trim() || "boruna-lsp", folder);
  const args = [...settings.get<string[]>("server.arguments", [])];
  if (settings.get("server.standalone", false)) {
    args.push("--standalone");
  }
  const libraries = settings.get("libsDir", "").trim();
  if (libraries !== "") {
    args.push("--libs-dir", folder === undefined ? libraries : path.resolve(folder, libraries));
  }
  return { command, args, options: { cwd: folder } };
}

/** A path that names a folder is relative to the workspace; a bare name is looked up on PATH. */
function inFolder(command: string, folder: string | undefined): string {
  const isName = !command.includes("/") && !command.includes("\\");
  return isName || folder === undefined ? command : path.resolve(folder, command);
}

function show(state: State): void {
  const offered = state === State.Running ? (client?.initializeResult?.capabilities.executeCommandProvider?.commands ?? []) : [];
  void vscode.commands.executeCommand("setContext", "boruna.running", state === State.Running);
  void vscode.commands.executeCommand("setContext", "boruna.canRun", offered.includes(RUN));
  void vscode.commands.executeCommand("setContext", "boruna.canTrace", offered.includes(TRACE));
  void vscode.commands.executeCommand("setContext", "boruna.canPreview", offered.includes(PREVIEW));
  status.busy = state === State.Starting;
  workspace.soon();
  if (state === State.Stopped) {
    status.text = "Boruna: stopped";
    status.severity = vscode.LanguageStatusSeverity.Error;
    status.command = { command: "boruna.restart", title: "Restart" };
  } else {
    const server = client?.initializeResult?.serverInfo;
    status.text = state === State.Starting ? "Boruna" : `Boruna ${server?.version ?? ""}`.trim();
    status.severity = vscode.LanguageStatusSeverity.Information;
    status.command = { command: "boruna.showOutput", title: "Output" };
  }
}

async function complain(command: string): Promise<void> {
  const settings = "Open Settings";
  const log = "Show Output";
  const message = `The language server "${command}" does not start. Install boruna-ls, or set the path of boruna-lsp.`;
  const chosen = await vscode.window.showErrorMessage(message, settings, log);
  if (chosen === settings) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "boruna.server.path");
  } else if (chosen === log) {
    output.show(true);
  }
}

async function execute(command: string): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== "boruna") {
    void vscode.window.showInformationMessage("Open a .ax file first.");
    return;
  }
  const offered = client?.initializeResult?.capabilities.executeCommandProvider?.commands ?? [];
  if (!offered.includes(command)) {
    void vscode.window.showWarningMessage(`The language server does not offer ${command}.`);
    return;
  }
  // The client has registered the server's own commands under their names.
  await vscode.commands.executeCommand(command, document.uri.toString());
  if (command === TRACE) {
    output.show(true);
  }
}

async function restartDaemon(): Promise<void> {
  // The forwarder of this editor outlives its daemon and tells the next one what is open: nothing is to be started anew.
  const done = await daemon(executable().command, output, "restart");
  if (!done) {
    void vscode.window.showErrorMessage("The daemon could not be restarted; the output says why.");
    output.show(true);
  }
  workspace.soon();
}

async function showDaemon(...args: string[]): Promise<void> {
  await daemon(executable().command, output, ...args);
  output.show(true);
}

async function openCheckSettings(): Promise<void> {
  const file = await checkSettings(CHECK_SETTINGS);
  if (file !== undefined) {
    await vscode.window.showTextDocument(file);
  }
}

async function togglePortable(): Promise<void> {
  const file = await checkSettings("");
  if (file === undefined) {
    return;
  }
  const document = await vscode.workspace.openTextDocument(file);
  const { text, on } = toggled(document.getText());
  const edit = new vscode.WorkspaceEdit();
  edit.replace(file, document.validateRange(new vscode.Range(0, 0, document.lineCount, 0)), text);
  await vscode.workspace.applyEdit(edit);
  await document.save();
  void vscode.window.showInformationMessage(`Portability hints are ${on ? "on" : "off"} in this workspace (boruna.toml).`);
}

/** The boruna.toml of the first folder; one that is missing is made. */
async function checkSettings(content: string): Promise<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  if (folder === undefined) {
    void vscode.window.showInformationMessage("Open a folder first: boruna.toml is a file of its root.");
    return undefined;
  }
  const file = vscode.Uri.joinPath(folder, "boruna.toml");
  try {
    await vscode.workspace.fs.stat(file);
  } catch {
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(content));
  }
  return file;
}

async function walkthrough(extension: string): Promise<void> {
  await vscode.commands.executeCommand("workbench.action.openWalkthrough", `${extension}#start`, false);
}
