// The walkthrough: the command that opens it, and the steps that only the extension can tick.
//
// A step is ticked when its context becomes true while the editor listens, which it does from the first time that a walkthrough is shown.
// So a context is true for a moment only: when the step is done, and again for each page that may be the walkthrough.

import * as vscode from "vscode";
import { State } from "vscode-languageclient/node";
import type { Server } from "./client";

const PAGE_IS_DRAWN = 500;

/** Opens the walkthrough on a command, and ticks what has been done. */
export function walkthrough(extension: string, server: Server): vscode.Disposable[] {
  const done = new Set<string>();
  const tick = (step: string): void => {
    done.add(step);
    pulse(step);
  };
  return [
    vscode.commands.registerCommand("boruna.openWalkthrough", () =>
      vscode.commands.executeCommand("workbench.action.openWalkthrough", `${extension}#start`, false),
    ),
    vscode.window.tabGroups.onDidChangeTabs(({ opened, changed }) => {
      // Extensions are not told what such a page is.
      if ([...opened, ...changed].some((tab) => tab.isActive && tab.input === undefined)) {
        setTimeout(() => done.forEach(pulse), PAGE_IS_DRAWN);
      }
    }),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (!done.has("write") && document.languageId === "boruna" && contentChanges.length > 0) {
        tick("write");
      }
    }),
    server.onDidRun(() => tick("run")),
    server.onDidChange(() => {
      if (!done.has("server") && server.client?.state === State.Running) {
        tick("server");
      }
    }),
  ];
}

function pulse(step: string): void {
  for (const value of [true, false]) {
    void vscode.commands.executeCommand("setContext", `boruna.ticked.${step}`, value);
  }
}
