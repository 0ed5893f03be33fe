// Offers the MCP server to the agents of this editor: the same daemon that serves its windows, without a file in the workspace.

import * as vscode from "vscode";
import type { Server } from "./client";
import { folders, libraries } from "./folders";

const PROVIDER = "boruna.agents";
const SETTING = "boruna.agents.enabled";

/** What VS Code 1.101 added to its API; older hosts do not have it. */
interface AgentApi {
  lm?: {
    registerMcpServerDefinitionProvider?(
      id: string,
      provider: { onDidChangeMcpServerDefinitions: vscode.Event<void>; provideMcpServerDefinitions(): Promise<unknown[]> },
    ): vscode.Disposable;
  };
  McpStdioServerDefinition?: new (
    label: string,
    command: string,
    args: string[],
    env: Record<string, string>,
    version?: string,
  ) => { cwd?: vscode.Uri };
}

/** Registers the server where the editor has agents, and the command that takes it away from them. */
export function agents(server: Server): vscode.Disposable[] {
  const { lm, McpStdioServerDefinition: Definition } = vscode as unknown as AgentApi;
  const toggle = vscode.commands.registerCommand("boruna.toggleAgents", toggled);
  const register = lm?.registerMcpServerDefinitionProvider;
  if (register === undefined || Definition === undefined) {
    server.output.info("this editor cannot be told of MCP servers by extensions: `boruna-ls setup vscode --write` writes a file instead");
    return [toggle];
  }
  const changed = new vscode.EventEmitter<void>();
  const provideMcpServerDefinitions = async (): Promise<unknown[]> => {
    await server.searched;
    const command = server.command("boruna-mcp");
    if (command === undefined || !isEnabled()) {
      return [];
    }
    const definition = new Definition("Boruna", command, libraries(), {}, server.found?.version);
    const folder = folders()[0];
    if (folder !== undefined) {
      definition.cwd = vscode.Uri.file(folder);
    }
    return [definition];
  };
  const parts = [
    toggle,
    changed,
    server.onDidChange(() => changed.fire()),
    vscode.workspace.onDidChangeConfiguration((change) => change.affectsConfiguration(SETTING) && changed.fire()),
  ];
  try {
    parts.push(register.call(lm, PROVIDER, { onDidChangeMcpServerDefinitions: changed.event, provideMcpServerDefinitions }));
  } catch (error) {
    // VS Code 1.100 has the function, but knows its part of the manifest by another name.
    server.output.info(`the MCP server is not offered to agents: ${error instanceof Error ? error.message : String(error)}`);
  }
  return parts;
}

function isEnabled(): boolean {
  return vscode.workspace.getConfiguration("boruna").get("agents.enabled", true);
}

async function toggled(): Promise<void> {
  const on = !isEnabled();
  await vscode.workspace.getConfiguration("boruna").update("agents.enabled", on, vscode.ConfigurationTarget.Global);
  void vscode.window.showInformationMessage(`The agents of this editor are ${on ? "" : "no longer "}offered the MCP server Boruna.`);
}
