// Debugging: the adapter of the installed server, configurations without a file, and the lens "Debug" above what can be run.

import * as vscode from "vscode";
import type { Server } from "./client";

const TYPE = "boruna";
const RUNNABLE = /^(?:export[ \t]+)?fn[ \t]+(main|test_[A-Za-z0-9_]*)[ \t]*\([ \t]*\)/gm;
const MOST_CHARACTERS = 2_000_000;

export function debugging(server: Server): vscode.Disposable[] {
  return [
    vscode.debug.registerDebugAdapterDescriptorFactory(TYPE, {
      createDebugAdapterDescriptor: () => {
        const command = server.command("boruna-ls");
        if (command === undefined) {
          throw new Error("the language server is not installed: run the command 'Boruna: Install Language Server'");
        }
        return new vscode.DebugAdapterExecutable(command, ["dap"]);
      },
    }),
    vscode.debug.registerDebugConfigurationProvider(TYPE, { resolveDebugConfiguration: complete }),
    vscode.languages.registerCodeLensProvider({ language: "boruna", scheme: "file" }, { provideCodeLenses: lenses }),
    vscode.commands.registerCommand("boruna.debugProgram", (uri?: unknown, name?: unknown) =>
      debug(typeof uri === "string" ? vscode.Uri.parse(uri) : undefined, typeof name === "string" ? name : "main"),
    ),
  ];
}

/** Debugs a function without parameters; the file is saved first, since the debugger reads the disk. */
export async function debug(uri: vscode.Uri | undefined, name: string): Promise<boolean> {
  const document = uri === undefined ? vscode.window.activeTextEditor?.document : await vscode.workspace.openTextDocument(uri);
  if (document?.languageId !== "boruna") {
    void vscode.window.showInformationMessage("Open a .ax file first.");
    return false;
  }
  if (document.isDirty && !(await document.save())) {
    return false;
  }
  const folder = vscode.workspace.getWorkspaceFolder(document.uri);
  const configuration = { type: TYPE, request: "launch", name: `Debug ${name}`, program: document.uri.fsPath, function: name };
  return vscode.debug.startDebugging(folder, configuration);
}

/** F5 in a program needs no launch.json. */
function complete(_: vscode.WorkspaceFolder | undefined, configuration: vscode.DebugConfiguration): vscode.DebugConfiguration | undefined {
  if (configuration.type) {
    return configuration;
  }
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== "boruna") {
    return undefined;
  }
  return { type: TYPE, request: "launch", name: "Debug main", program: document.uri.fsPath, stopOnEntry: true };
}

function lenses(document: vscode.TextDocument): vscode.CodeLens[] {
  const text = document.getText();
  if (text.length > MOST_CHARACTERS) {
    return [];
  }
  return [...text.matchAll(RUNNABLE)].map((match) => {
    const place = document.positionAt(match.index ?? 0);
    const command = { title: "Debug", command: "boruna.debugProgram", arguments: [document.uri.toString(), match[1] ?? "main"] };
    return new vscode.CodeLens(new vscode.Range(place, place), command);
  });
}
