// Starts the language server for .ax files and shows how it fares; everything that it can do, the language client does.

import * as path from "node:path";
import * as vscode from "vscode";
import { type Executable, LanguageClient, type LanguageClientOptions, State } from "vscode-languageclient/node";

const RUN = "boruna.run";
const TRACE = "boruna.trace";
const RESTARTING_SETTINGS = ["boruna.server.path", "boruna.server.arguments", "boruna.libsDir"];
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

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  output = vscode.window.createOutputChannel("Boruna", { log: true });
  trace = vscode.window.createOutputChannel("Boruna trace");
  status = vscode.languages.createLanguageStatusItem("boruna.status", { language: "boruna" });
  status.name = "Boruna";
  const commands: [string, () => unknown][] = [
    ["boruna.restart", restart],
    ["boruna.showOutput", () => output.show(true)],
    ["boruna.runProgram", () => execute(RUN)],
    ["boruna.traceProgram", () => execute(TRACE)],
    ["boruna.openCheckSettings", openCheckSettings],
    ["boruna.openWalkthrough", () => walkthrough(context.extension.id)],
  ];
  context.subscriptions.push(
    output,
    trace,
    status,
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
  const options: LanguageClientOptions = {
    documentSelector: [{ language: "boruna" }],
    outputChannel: output,
    traceOutputChannel: trace,
    middleware: {
      // Whoever asks, a button, a code lens or a key: the whole answer is in the output.
      executeCommand: async (command, args, next) => {
        const answer = await next(command, args);
        output.info(`${command}\n${JSON.stringify(answer, null, 2)}`);
        return answer;
      },
    },
  };
  const starting = new LanguageClient("boruna", "Boruna", server, options);
  client = starting;
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
  status.busy = state === State.Starting;
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

async function openCheckSettings(): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  if (folder === undefined) {
    void vscode.window.showInformationMessage("Open a folder first: boruna.toml is a file of its root.");
    return;
  }
  const file = vscode.Uri.joinPath(folder, "boruna.toml");
  try {
    await vscode.workspace.fs.stat(file);
  } catch {
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(CHECK_SETTINGS));
  }
  await vscode.window.showTextDocument(file);
}

async function walkthrough(extension: string): Promise<void> {
  await vscode.commands.executeCommand("workbench.action.openWalkthrough", `${extension}#start`, false);
}
