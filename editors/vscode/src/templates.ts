// New applications: a template is picked, its arguments are asked for, `boruna-ls new` makes the folder.

import { execFile } from "node:child_process";
import * as path from "node:path";
import * as vscode from "vscode";
import type { Server } from "./client";
import { folders } from "./folders";

const PATIENCE = 30_000;

interface Template {
  name: string;
  folder?: string;
  version: string;
  description: string;
  args: string[];
  arg_specs: Record<string, { required: boolean; description: string; default?: unknown }>;
}

export function templates(server: Server): vscode.Disposable {
  return vscode.commands.registerCommand("boruna.newFromTemplate", async () => {
    const command = server.command("boruna-ls");
    if (command === undefined) {
      void vscode.window.showErrorMessage("Templates need the command boruna-ls of the server's installation.");
      return;
    }
    try {
      await create(command);
    } catch (error) {
      void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
    }
  });
}

async function create(command: string): Promise<void> {
  const parent = await parentFolder();
  if (parent === undefined) {
    return;
  }
  const listed = JSON.parse(await run(command, ["template", "list", "--json"], parent)) as { templates: Template[] };
  const picked = await vscode.window.showQuickPick(
    listed.templates.map((template) => ({ label: template.name, detail: template.description, template })),
    { title: "New Boruna Application", placeHolder: "A template" },
  );
  if (picked === undefined) {
    return;
  }
  const { template } = picked;
  const name = await vscode.window.showInputBox({
    title: "Folder of the application",
    value: template.name,
    validateInput: (text) => (/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(text) ? undefined : "Letters, digits, dots, - and _; no path."),
  });
  const values = name === undefined ? undefined : await answers(template);
  if (name === undefined || values === undefined) {
    return;
  }
  const target = path.join(parent, name);
  const folder = template.folder ?? template.name;
  const variables = Object.entries(values).flatMap(([key, value]) => ["--var", `${key}=${value}`]);
  await run(command, ["new", "--no-input", "--target", target, ...variables, "--", folder], parent);
  const [made] = await vscode.workspace.findFiles(new vscode.RelativePattern(target, "*.ax"), undefined, 1);
  if (made !== undefined) {
    await vscode.window.showTextDocument(made);
  }
}

/** Asks for each argument; undefined if a person gives up. */
async function answers(template: Template): Promise<Record<string, string> | undefined> {
  const values: Record<string, string> = {};
  for (const name of template.args) {
    const { description, required, default: initial } = template.arg_specs[name] ?? { description: "", required: true };
    const value = await vscode.window.showInputBox({
      title: `${template.name}: ${name}${required ? "" : " (optional)"}`,
      prompt: description,
      value: initial === undefined || initial === null ? "" : String(initial),
      validateInput: (text) => (required && text === "" ? "This template needs a value." : undefined),
    });
    if (value === undefined) {
      return undefined;
    }
    if (value !== "") {
      values[name] = value;
    }
  }
  return values;
}

async function parentFolder(): Promise<string | undefined> {
  const open = folders();
  if (open.length === 1) {
    return open[0];
  }
  const chosen = await vscode.window.showOpenDialog({ canSelectFolders: true, canSelectFiles: false, openLabel: "Create Here" });
  return chosen?.[0]?.fsPath;
}

function run(command: string, args: string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd, timeout: PATIENCE, maxBuffer: 4 << 20 }, (error, told, complained) => {
      if (error === null) {
        resolve(told);
      } else {
        reject(new Error(complained.trim().split("\n").pop() || error.message));
      }
    });
  });
}
