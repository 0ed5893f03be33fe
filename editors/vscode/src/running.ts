// Running and tracing the program in the active editor.

import * as vscode from "vscode";
import type { Server } from "./client";
import { showTrace, TRACE } from "./trace";

const RUN = "boruna.run";
const RUN_LIVE = "boruna.runLive";

export function running(server: Server): vscode.Disposable[] {
  server.instead.set(TRACE, ([uri]) => showTrace(server, typeof uri === "string" ? uri : undefined));
  return [
    vscode.commands.registerCommand("boruna.runProgram", () => execute(server, RUN)),
    vscode.commands.registerCommand("boruna.runProgramLive", () => execute(server, RUN_LIVE)),
    vscode.commands.registerCommand("boruna.traceProgram", () => execute(server, TRACE)),
  ];
}

async function execute(server: Server, command: string): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== "boruna") {
    void vscode.window.showInformationMessage("Open a .ax file first.");
    return;
  }
  if (!server.commands.includes(command)) {
    void vscode.window.showWarningMessage(`The language server does not offer ${command}.`);
    return;
  }
  // The client has registered the server's own commands under their names.
  await vscode.commands.executeCommand(command, document.uri.toString());
}
