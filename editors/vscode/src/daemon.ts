// The process that serves all editors and agents: what it knows of this workspace, and the commands that look at it or replace it.

import { execFile } from "node:child_process";
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

const PAUSE = 400;
const STATUS = "boruna/status";

interface Workspace {
  root: string;
  revision: string;
  coverage: { checked: number; total: number };
  checking: boolean;
}

/** Shows which state of the workspace the diagnostics describe, beside the languages in the status bar. */
export class WorkspaceStatus implements vscode.Disposable {
  private readonly item = vscode.languages.createLanguageStatusItem("boruna.workspace", { language: "boruna" });
  private readonly parts: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly client: () => LanguageClient | undefined) {
    this.item.name = "Boruna workspace";
    this.item.command = { command: "boruna.showDaemonStatus", title: "Daemon" };
    this.item.text = "";
    const soon = (): void => this.soon();
    this.parts = [
      this.item,
      vscode.languages.onDidChangeDiagnostics(soon),
      vscode.window.onDidChangeActiveTextEditor(soon),
      vscode.workspace.onDidSaveTextDocument(soon),
    ];
  }

  /** Asks the server in a moment; more wishes until then are one question. */
  soon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.update();
    }, PAUSE);
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const part of this.parts) {
      part.dispose();
    }
  }

  private async update(): Promise<void> {
    const client = this.client();
    const document = vscode.window.activeTextEditor?.document;
    if (client?.isRunning() !== true || document?.languageId !== "boruna") {
      return;
    }
    let workspaces: Workspace[];
    try {
      ({ workspaces } = await client.sendRequest<{ workspaces: Workspace[] }>(STATUS));
    } catch {
      // An older server does not know the question, one that ends does not answer it.
      this.item.text = "";
      return;
    }
    const holding = workspaces.filter(({ root }) => root !== "" && document.uri.fsPath.startsWith(root));
    const found = holding.sort((one, other) => other.root.length - one.root.length)[0];
    const unsaved = vscode.workspace.textDocuments.filter(({ languageId, isDirty }) => languageId === "boruna" && isDirty).length;
    const { checked, total } = found?.coverage ?? { checked: 0, total: 0 };
    this.item.text = found === undefined ? "No workspace" : `Revision ${found.revision}`;
    this.item.detail = [unsaved > 0 ? `${unsaved} unsaved` : "all saved", `${checked} of ${total} files checked`].join(", ");
    this.item.busy = found?.checking ?? false;
    if (this.item.busy) {
      this.soon();
    }
  }
}

/** Runs `boruna-ls daemon ARGUMENTS`, and writes to the output what it says. */
export async function daemon(command: string | undefined, output: vscode.LogOutputChannel, ...args: string[]): Promise<boolean> {
  if (command === undefined) {
    output.error("there is no boruna-ls beside the server, nor on PATH");
    return false;
  }
  return new Promise((resolve) => {
    execFile(command, ["daemon", ...args], { maxBuffer: 16 << 20 }, (error, told, complained) => {
      const text = `${complained}${told}`.trim();
      const failed = error !== null && text === "";
      output.info(`${command} daemon ${args.join(" ")}\n${failed ? error.message : text}`);
      resolve(error === null);
    });
  });
}
