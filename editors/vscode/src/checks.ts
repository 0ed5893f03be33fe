// The settings of checks, which all editors, agents and the command line share: `boruna.toml` in the first folder.

import * as vscode from "vscode";
import { toggled } from "./portable";

const CONTENT = `# How the programs below this folder are checked.
[check]
# Only these codes, or beginnings of codes; empty means all.
select = []
ignore = []
# Also report what boruna 3.2.0 computes differently.
portable = false

[check.severity]
# W501 = "error"
`;

export async function openCheckSettings(): Promise<void> {
  const file = await checkSettings(CONTENT);
  if (file !== undefined) {
    await vscode.window.showTextDocument(file);
  }
}

export async function togglePortable(): Promise<void> {
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
