// Open tasks of executions: a list of what waits for an answer, and a page for each task on which it is answered.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { Server } from "./client";
import { page } from "./executionPage";

const LIST = "boruna/executions";
const ANSWER = "boruna/executions/answer";
const CHANGED = "boruna/executions/changed";
const VIEW = "boruna.executions";
/** Executions that other processes change, a command line for example, are looked for so often while the view is seen. */
const POLLED = 5_000;
/** Changes that come together are one. */
const PAUSE = 100;

export interface Task {
  taskId: string;
  prompt: string;
  schema?: unknown;
  lastRefusal?: string;
}

interface Execution {
  executionId: string;
  programId: string;
  tasks: Task[];
}

/** What the server answers: what comes next, or why the answer was not taken. */
export interface Next extends Partial<Task> {
  success: boolean;
  status?: "waiting" | "completed" | "error" | "running";
  result?: unknown;
  message?: string;
  error?: { message?: string };
}

interface Entry {
  execution: Execution;
  task: Task;
}

export function executions(server: Server): vscode.Disposable[] {
  const made = new OpenTasks(server);
  return [
    made,
    server.onDidCreate((client) => made.listen(client)),
    server.onDidChange(() => made.soon()),
    vscode.commands.registerCommand("boruna.refreshTasks", () => made.refresh()),
    vscode.commands.registerCommand("boruna.showTask", (entry?: Entry) => made.show(entry)),
  ];
}

class OpenTasks implements vscode.TreeDataProvider<Entry>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Entry>;
  private readonly panels = new Map<string, TaskPanel>();
  private readonly poll: NodeJS.Timeout;
  private entries: Entry[] = [];
  private soonest: NodeJS.Timeout | undefined;

  constructor(private readonly server: Server) {
    this.view = vscode.window.createTreeView(VIEW, { treeDataProvider: this });
    this.view.onDidChangeVisibility(() => this.soon());
    this.poll = setInterval(() => this.view.visible && this.soon(), POLLED);
  }

  listen(client: LanguageClient): void {
    client.onNotification(CHANGED, () => this.soon());
  }

  /** Looks again in a moment. Nothing is asked of a server before somebody has seen the view. */
  soon(): void {
    this.soonest ??= setTimeout(() => {
      this.soonest = undefined;
      if (this.view.visible || this.panels.size > 0) {
        void this.refresh();
      }
    }, PAUSE);
  }

  async refresh(): Promise<void> {
    let answer: { success: boolean; executions?: Execution[]; message?: string };
    try {
      const { client } = this.server;
      answer = client?.isRunning() ? await client.sendRequest(LIST, {}) : { success: true };
    } catch (error) {
      // An older server knows no such request.
      answer = { success: false, message: error instanceof Error ? error.message : String(error) };
    }
    const found = (answer.executions ?? []).flatMap((execution) => execution.tasks.map((task) => ({ execution, task })));
    if (JSON.stringify(found) === JSON.stringify(this.entries) && this.view.message === answer.message) {
      return;
    }
    this.entries = found;
    this.view.message = answer.success ? undefined : answer.message;
    this.view.badge = found.length === 0 ? undefined : { value: found.length, tooltip: `${found.length} open tasks` };
    this.changed.fire(undefined);
  }

  getChildren(entry?: Entry): Entry[] {
    return entry === undefined ? this.entries : [];
  }

  getTreeItem(entry: Entry): vscode.TreeItem {
    const { execution, task } = entry;
    const item = new vscode.TreeItem(oneLine(task.prompt) || task.taskId);
    item.id = `${execution.executionId}/${task.taskId}`;
    item.description = execution.executionId;
    item.tooltip = `${execution.programId}, ${execution.executionId}\n${task.prompt.slice(0, 2_000)}`;
    item.iconPath = new vscode.ThemeIcon("comment-unresolved");
    item.command = { command: "boruna.showTask", title: "Answer", arguments: [entry] };
    return item;
  }

  show(entry: Entry | undefined): void {
    const chosen = entry ?? this.entries[0];
    if (chosen === undefined) {
      void vscode.window.showInformationMessage("No execution waits for an answer.");
      return;
    }
    const { executionId } = chosen.execution;
    let panel = this.panels.get(executionId);
    if (panel === undefined) {
      panel = new TaskPanel(this.server, executionId, () => this.panels.delete(executionId));
      this.panels.set(executionId, panel);
    }
    panel.show(chosen.task);
  }

  dispose(): void {
    clearInterval(this.poll);
    clearTimeout(this.soonest);
    for (const panel of [...this.panels.values()]) {
      panel.dispose();
    }
    this.view.dispose();
    this.changed.dispose();
  }
}

/** The page of one execution: its open task now, and what comes after the answer. */
class TaskPanel {
  private readonly panel: vscode.WebviewPanel;
  private task = "";
  private isBusy = false;

  constructor(
    private readonly server: Server,
    private readonly execution: string,
    gone: () => void,
  ) {
    const options = { enableScripts: true, localResourceRoots: [], retainContextWhenHidden: true };
    this.panel = vscode.window.createWebviewPanel(VIEW, `Task of ${execution}`, vscode.ViewColumn.Active, options);
    this.panel.webview.onDidReceiveMessage((message: { answer?: unknown }) => this.heard(message));
    this.panel.onDidDispose(gone);
  }

  show(task: Task): void {
    if (task.taskId !== this.task) {
      this.task = task.taskId;
      this.panel.webview.html = page(randomBytes(16).toString("hex"), this.execution, task);
    }
    this.panel.reveal();
  }

  dispose(): void {
    this.panel.dispose();
  }

  private async heard({ answer }: { answer?: unknown }): Promise<void> {
    if (typeof answer !== "string" || this.isBusy) {
      return;
    }
    this.isBusy = true;
    try {
      const { client } = this.server;
      if (!client?.isRunning()) {
        throw new Error("The language server does not run.");
      }
      this.next(await client.sendRequest<Next>(ANSWER, { executionId: this.execution, taskId: this.task, answer }));
    } catch (error) {
      this.tell({ problem: error instanceof Error ? error.message : String(error) });
    } finally {
      this.isBusy = false;
    }
  }

  private next(answer: Next): void {
    if (answer.status === "waiting" && answer.taskId !== undefined) {
      this.show({ taskId: answer.taskId, prompt: answer.prompt ?? "", schema: answer.schema, lastRefusal: answer.lastRefusal });
    } else if (answer.status === "completed") {
      const { result } = answer;
      this.tell({ end: `Completed: ${typeof result === "string" ? result : JSON.stringify(result)}` });
    } else if (answer.status === "error") {
      this.tell({ end: `The program has failed: ${answer.error?.message ?? ""}` });
    } else if (answer.status === "running") {
      this.tell({ end: "The answer was taken; the program still runs. Its next task appears in the view." });
    } else {
      this.tell({ problem: answer.message ?? "The answer was not taken." });
    }
  }

  private tell(message: { problem: string } | { end: string }): void {
    void this.panel.webview.postMessage(message);
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, 120);
}
