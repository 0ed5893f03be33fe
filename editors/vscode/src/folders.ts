// The workspace's folders on disk, and the folder of libraries that a setting names.

import * as path from "node:path";
import * as vscode from "vscode";

/** The options that name the folder of libraries, for every command of the installation. */
export function libraries(): string[] {
  const folder = vscode.workspace.getConfiguration("boruna").get("libsDir", "").trim();
  const base = folders()[0];
  // A relative path leads into whatever folder is open.
  if (folder === "" || !(path.isAbsolute(folder) || vscode.workspace.isTrusted)) {
    return [];
  }
  return ["--libs-dir", base === undefined ? folder : path.resolve(base, folder)];
}

/** The workspace's folders on disk. */
export function folders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file").map(({ uri }) => uri.fsPath);
}
