// The pages of diagnostic codes, rendered: a link on a code opens the page of `boruna-ls explain` as a preview.

import { execFile } from "node:child_process";
import * as vscode from "vscode";
import type { Server } from "./client";

const SCHEME = "boruna-explain";
const CODE = /^[A-Z][0-9]{3}$/;

/** Diagnostics whose codes lead to their page in the editor. */
export function codesExplained(diagnostics: vscode.Diagnostic[]): vscode.Diagnostic[] {
  for (const diagnostic of diagnostics) {
    const { code } = diagnostic;
    if (typeof code === "object" && CODE.test(String(code.value))) {
      diagnostic.code = { value: code.value, target: page(String(code.value)) };
    }
  }
  return diagnostics;
}

/** The pages as documents, and the command that shows one. */
export function explanations(server: Server): vscode.Disposable[] {
  return [
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      provideTextDocumentContent: ({ path }) => explanation(server, path.replace(/^\/|\.md$/g, "")),
    }),
    vscode.commands.registerCommand("boruna.explain", async (given: unknown) => {
      const code = typeof given === "string" ? given : await vscode.window.showInputBox({ prompt: "A diagnostic code, like E003" });
      if (code === undefined) {
        return;
      }
      if (!CODE.test(code.trim())) {
        void vscode.window.showWarningMessage("A code is a letter and three digits, like E003.");
        return;
      }
      await vscode.commands.executeCommand("markdown.showPreview", document(code.trim()));
    }),
  ];
}

function document(code: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/${code}.md` });
}

function page(code: string): vscode.Uri {
  return vscode.Uri.parse(`command:boruna.explain?${encodeURIComponent(JSON.stringify([code]))}`);
}

async function explanation(server: Server, code: string): Promise<string> {
  const command = server.command("boruna-ls");
  if (command === undefined || !CODE.test(code)) {
    return "The page needs the command `boruna-ls` of the server's installation.";
  }
  return new Promise((resolve) => {
    execFile(command, ["explain", code], { timeout: 20_000 }, (error, told, complained) => {
      resolve(error === null ? told : `# ${code}\n\n${complained || error.message}`);
    });
  });
}
