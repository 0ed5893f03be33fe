// Tasks over the whole workspace: check, formatting. Their command is always that of the server's installation.

import * as vscode from "vscode";
import type { Server } from "./client";
import { folders, libraries } from "./folders";

const TYPE = "boruna";
const KINDS: Record<string, { title: string; args: () => string[] }> = {
  check: { title: "check all programs", args: () => ["check", ...libraries()] },
  fmt: { title: "format all programs", args: () => ["fmt"] },
  "fmt-check": { title: "find programs that are not formatted", args: () => ["fmt", "--check"] },
};

export function tasks(server: Server): vscode.Disposable {
  return vscode.tasks.registerTaskProvider(TYPE, {
    provideTasks: () => Object.keys(KINDS).flatMap((kind) => made(server, { type: TYPE, task: kind }) ?? []),
    // Of a task in a file of the workspace only the kind counts, never a command.
    resolveTask: ({ definition }) => made(server, definition),
  });
}

function made(server: Server, definition: vscode.TaskDefinition): vscode.Task | undefined {
  const kind = Object.hasOwn(KINDS, definition["task"]) ? KINDS[definition["task"]] : undefined;
  const command = server.command("boruna-ls");
  const cwd = folders()[0];
  if (kind === undefined || command === undefined || cwd === undefined) {
    return undefined;
  }
  const execution = new vscode.ProcessExecution(command, kind.args(), { cwd });
  const task = new vscode.Task(definition, vscode.TaskScope.Workspace, kind.title, TYPE, execution, "$boruna");
  task.group = definition["task"] === "check" ? vscode.TaskGroup.Build : undefined;
  return task;
}
