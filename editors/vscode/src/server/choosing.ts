// What a person is asked when no server works: install one, choose one, or look at the details.

import * as fs from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import { MINIMUM, type Search, SERVER, type Surroundings } from "./candidates";
import { type Installer, install, installers } from "./installers";

const INSTALL = "Install…";
const CHOOSE = "Choose…";
const DETAILS = "Show Output";

/** What to tell about a search that found nothing. */
export function problem(searched: Search, { trusted, folders }: Surroundings): string {
  const worst = searched.rejected.find(({ old }) => old !== undefined) ?? searched.rejected[0];
  if (worst === undefined) {
    const untrusted = trusted || folders.length === 0 ? "" : " What this folder holds is not executed until you trust it.";
    return `The language server ${SERVER} is not installed.${untrusted}`;
  }
  return path.isAbsolute(worst.command)
    ? `The language server ${worst.command} (${worst.origin}) ${worst.reason}.`
    : `No language server: ${worst.reason} (${worst.origin}).`;
}

/** Asks what to do, and does it. Returns whether a search can have another result now. */
export async function resolveMissing(
  searched: Search,
  around: Surroundings,
  extension: vscode.Uri,
  output: vscode.LogOutputChannel,
): Promise<boolean> {
  const chosen = await vscode.window.showErrorMessage(problem(searched, around), INSTALL, CHOOSE, DETAILS);
  if (chosen === INSTALL) {
    return installServer(around, extension, output);
  }
  if (chosen === CHOOSE) {
    return chooseServer();
  }
  if (chosen === DETAILS) {
    output.show(true);
  }
  return false;
}

/** Lets a person choose the way, and installs the server. Returns whether it is installed. */
export async function installServer(around: Surroundings, extension: vscode.Uri, output: vscode.LogOutputChannel): Promise<boolean> {
  const wheel = bundledWheel(extension.fsPath);
  if (wheel === undefined) {
    void vscode.window.showErrorMessage("This build of the extension brings no server along. Install boruna-ls from its repository.");
    return false;
  }
  const ways = installers(wheel, around);
  if (ways.length === 0) {
    void vscode.window.showErrorMessage("Neither uv nor pipx nor Python is on PATH. Install Python 3.11 or newer, or uv, then try again.");
    return false;
  }
  const way = await vscode.window.showQuickPick(ways, { title: `Install the language server (${MINIMUM} or newer)`, ignoreFocusOut: true });
  if (way === undefined || !(await withProgress(way, around.storage, output))) {
    return false;
  }
  // A path that was chosen and does not work would hide what is installed now.
  const settings = vscode.workspace.getConfiguration("boruna");
  const written = settings.inspect<string>("server.path");
  for (const [value, target] of [
    [written?.globalValue, vscode.ConfigurationTarget.Global],
    [written?.workspaceValue, vscode.ConfigurationTarget.Workspace],
  ] as const) {
    if (value !== undefined) {
      await settings.update("server.path", undefined, target);
    }
  }
  return true;
}

/** Lets a person choose a program; the setting is theirs, not the workspace's. */
export async function chooseServer(): Promise<boolean> {
  const title = `Choose ${SERVER}`;
  const chosen = await vscode.window.showOpenDialog({ title, openLabel: "Choose", canSelectMany: false });
  if (chosen?.[0] === undefined) {
    return false;
  }
  await vscode.workspace.getConfiguration("boruna").update("server.path", chosen[0].fsPath, vscode.ConfigurationTarget.Global);
  return true;
}

async function withProgress(way: Installer, storage: string, output: vscode.LogOutputChannel): Promise<boolean> {
  const title = "Installing boruna-ls";
  output.info(way.steps.map((step) => step.join(" ")).join("\n"));
  try {
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title, cancellable: true },
      async (progress, token) => {
        const tell = (line: string): void => {
          output.info(line);
          progress.report({ message: line.slice(0, 80) });
        };
        await install(way, storage, tell, (stop) => {
          token.onCancellationRequested(stop);
          if (token.isCancellationRequested) {
            stop();
          }
        });
      },
    );
    return true;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    output.error(`${way.label}: ${message}`);
    void vscode.window.showErrorMessage(`${way.label} failed: ${message}`, DETAILS).then((asked) => asked && output.show(true));
    return false;
  }
}

function bundledWheel(extension: string): string | undefined {
  const folder = path.join(extension, "server");
  const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  const name = names.find((one) => one.endsWith(".whl"));
  return name === undefined ? undefined : path.join(folder, name);
}
