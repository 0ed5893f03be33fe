// What the extension consists of: the server, and a module for each thing that it adds to what the language client does.

import * as vscode from "vscode";
import { agents } from "./agents";
import { openCheckSettings, togglePortable } from "./checks";
import { Server } from "./client";
import { daemon, WorkspaceStatus } from "./daemon";
import { debugging } from "./debugging";
import { executions } from "./executions";
import { explanations } from "./explain";
import { PREVIEW, Previews } from "./preview";
import { running } from "./running";
import { chooseServer } from "./server/choosing";
import { tasks } from "./tasks";
import { templates } from "./templates";
import { testing } from "./testing";
import { walkthrough } from "./walkthrough";
import { workflows } from "./workflows";

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const made = (server = new Server(context));
  const workspace = new WorkspaceStatus(() => made.client);
  const previews = new Previews(() => made.client, made.output);
  // The server would open the page in a browser.
  made.instead.set(PREVIEW, ([uri]) => previews.show(typeof uri === "string" ? uri : undefined));
  const commands: Record<string, () => unknown> = {
    "boruna.restart": () => made.restart(),
    "boruna.installServer": () => made.install(),
    "boruna.chooseServer": chooseServer,
    "boruna.showOutput": () => made.output.show(true),
    "boruna.restartDaemon": () => restartDaemon(made, workspace),
    "boruna.showDaemonStatus": () => showDaemon(made, "status"),
    "boruna.showDaemonLog": () => showDaemon(made, "logs", "--lines", "200"),
    "boruna.openCheckSettings": openCheckSettings,
    "boruna.togglePortable": togglePortable,
  };
  context.subscriptions.push(
    made,
    workspace,
    previews,
    made.onDidCreate((client) => previews.listen(client)),
    made.onDidChange(() => workspace.soon()),
    ...Object.entries(commands).map(([name, action]) => vscode.commands.registerCommand(name, action)),
    ...agents(made),
    ...debugging(made),
    ...executions(made),
    ...explanations(made),
    ...running(made),
    ...testing(made),
    ...walkthrough(context.extension.id, made),
    ...workflows(made),
    tasks(made),
    templates(made),
  );
  await made.start();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

async function restartDaemon(server: Server, workspace: WorkspaceStatus): Promise<void> {
  // The forwarder of this editor outlives its daemon and tells the next one what is open: nothing is to be started anew.
  const done = await daemon(server.command("boruna-ls"), server.output, "restart");
  if (!done) {
    void vscode.window.showErrorMessage("The daemon could not be restarted; the output says why.");
    server.output.show(true);
  }
  workspace.soon();
}

async function showDaemon(server: Server, ...args: string[]): Promise<void> {
  await daemon(server.command("boruna-ls"), server.output, ...args);
  server.output.show(true);
}
