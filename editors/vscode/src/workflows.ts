// Runs of workflows that editors, agents and the command line share: begun, decided and followed. The server's page is shown by a webview.

import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import * as path from "node:path";
import { createInterface } from "node:readline";
import * as vscode from "vscode";
import type { Server } from "./client";
import { folders } from "./folders";

const VIEW = "boruna.workflow";
/** The server's command; lenses in workflow.json carry it. */
const SERVER = "boruna.workflow";
const SHARED = "--shared";
const DOCUMENT = "workflow.json";
const LARGEST_OUTPUT = 16 * 1024 * 1024;

interface Line {
  page?: string;
  title?: string;
  update?: Record<string, unknown>;
  refused?: string;
}

interface Listed {
  run_id: string;
  workflow_name: string;
  status: string;
  updated_at_ms: number;
}

export function workflows(server: Server): vscode.Disposable[] {
  const panels = new Map<string, Panel>();
  const commands = new Commands(server, panels);
  server.instead.set(SERVER, (given) => commands.guarded(() => commands.asked(given)));
  return [
    vscode.commands.registerCommand("boruna.workflow.run", (uri?: unknown) => commands.guarded(() => commands.run(uri))),
    vscode.commands.registerCommand("boruna.workflow.watch", (run?: unknown) => commands.guarded(() => commands.watch(run))),
    vscode.commands.registerCommand("boruna.workflow.resume", (run?: unknown) => commands.guarded(() => commands.resume(run))),
    vscode.commands.registerCommand("boruna.workflow.approve", (run?: unknown, step?: unknown) =>
      commands.guarded(() => commands.decide("approve", run, step)),
    ),
    vscode.commands.registerCommand("boruna.workflow.reject", (run?: unknown, step?: unknown) =>
      commands.guarded(() => commands.decide("reject", run, step)),
    ),
    { dispose: () => [...panels.values()].forEach((panel) => panel.dispose()) },
  ];
}

class Commands {
  constructor(
    private readonly server: Server,
    private readonly panels: Map<string, Panel>,
  ) {}

  /** Whatever goes wrong is told. */
  async guarded(work: () => Promise<void>): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      void vscode.window.showWarningMessage("Workflows run in trusted workspaces only.");
      return;
    }
    try {
      await work();
    } catch (error) {
      void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
    }
  }

  async run(uri: unknown): Promise<void> {
    const document = await chosenDocument(uri);
    if (document === undefined) {
      return;
    }
    const folder = path.dirname(document);
    // What is run is what is on disk.
    const open = vscode.workspace.textDocuments.filter((one) => one.isDirty && one.uri.fsPath.startsWith(folder + path.sep));
    await Promise.all(open.map((one) => one.save()));
    const child = spawn(this.command(), ["workflow", "run", folder, SHARED, "--print-run-id"], { cwd: root(document) });
    child.stdin.end();
    const said: string[] = [];
    createInterface({ input: child.stderr }).on("line", (line) => {
      const run = /^run_id: ([0-9a-f]{16})$/.exec(line)?.[1];
      if (run === undefined) {
        said.push(line);
      } else {
        this.open(run);
      }
    });
    child.stdout.on("data", (text: Buffer) => this.server.output.info(text.toString().trimEnd()));
    child.on("error", (error) => void vscode.window.showErrorMessage(error.message));
    child.on("close", (status) => {
      if (status !== 0) {
        void vscode.window.showErrorMessage(said.join("\n").slice(-500) || `The run ended with status ${status}.`);
      }
    });
  }

  /** A lens: the server does it, with the text as it is on screen, and the run is shown. */
  async asked(given: unknown[]): Promise<void> {
    const run = (given[1] as { run?: string } | undefined)?.run;
    if (run !== undefined) {
      this.open(run);
    }
    const parameters = { command: SERVER, arguments: given };
    const answer = await this.server.client?.sendRequest<{ run_id?: string }>("workspace/executeCommand", parameters);
    if (answer?.run_id !== undefined) {
      this.open(answer.run_id);
    }
  }

  async watch(run: unknown): Promise<void> {
    const chosen = await this.chosenRun(run);
    if (chosen !== undefined) {
      this.open(chosen);
    }
  }

  async resume(run: unknown): Promise<void> {
    const chosen = await this.chosenRun(run, "paused");
    if (chosen !== undefined) {
      this.open(chosen);
      await this.said(["workflow", "resume", chosen, SHARED]);
    }
  }

  async decide(word: "approve" | "reject", run: unknown, step: unknown): Promise<void> {
    const chosen = await this.chosenRun(run, "paused");
    const gate = chosen === undefined ? undefined : await this.chosenGate(chosen, step);
    if (chosen === undefined || gate === undefined) {
      return;
    }
    const title = word === "approve" ? `Approve ${gate}` : `Reject ${gate}`;
    const reason = await vscode.window.showInputBox({ title, prompt: "Comment, for the record (may be empty)" });
    if (reason === undefined) {
      return;
    }
    const about = reason === "" ? [] : [word === "approve" ? "--comment" : "--reason", reason];
    await this.said(["workflow", word, SHARED, ...about, "--", chosen, gate]);
    this.open(chosen);
    await this.said(["workflow", "resume", chosen, SHARED]);
  }

  private open(run: string): void {
    const known = this.panels.get(run);
    if (known !== undefined) {
      known.reveal();
      return;
    }
    this.panels.set(run, new Panel(run, this.command(), root(), () => this.panels.delete(run)));
  }

  private async chosenRun(run: unknown, status?: string): Promise<string | undefined> {
    if (typeof run === "string") {
      return run;
    }
    const filter = status === undefined ? [] : ["--status", status];
    const runs = JSON.parse(await this.said(["workflow", "list", "--json", SHARED, ...filter])) as Listed[];
    if (runs.length === 0) {
      void vscode.window.showInformationMessage(status === undefined ? "There are no runs yet." : `No run is ${status}.`);
      return undefined;
    }
    runs.sort((a, b) => b.updated_at_ms - a.updated_at_ms);
    const items = runs.map((one) => ({
      label: one.workflow_name,
      description: `${one.status}, ${new Date(one.updated_at_ms).toLocaleString()}`,
      detail: one.run_id,
    }));
    return runs.length === 1 ? runs[0]?.run_id : (await vscode.window.showQuickPick(items, { title: "Run" }))?.detail;
  }

  private async chosenGate(run: string, step: unknown): Promise<string | undefined> {
    if (typeof step === "string") {
      return step;
    }
    const shown = JSON.parse(await this.said(["workflow", "show", run, "--json", SHARED])) as { steps: { step_id: string; status: string }[] };
    const gates = shown.steps.filter((one) => one.status === "awaiting_approval").map((one) => one.step_id);
    if (gates.length === 0) {
      void vscode.window.showInformationMessage("No gate of this run waits for a decision.");
    }
    return gates.length < 2 ? gates[0] : vscode.window.showQuickPick(gates, { title: "Gate" });
  }

  private command(): string {
    const command = this.server.command("boruna-ls");
    if (command === undefined) {
      throw new Error("The boruna-ls server was not found.");
    }
    return command;
  }

  private said(args: string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      execFile(this.command(), args, { cwd: root(), maxBuffer: LARGEST_OUTPUT }, (error, stdout, stderr) =>
        error ? reject(new Error(stderr.trim() || error.message)) : resolve(stdout),
      );
    });
  }
}

/** The page of one run: its updates come from a process, what a person decides goes to it. */
class Panel {
  private readonly panel: vscode.WebviewPanel;
  private readonly child: ChildProcessWithoutNullStreams;
  private update: Record<string, unknown> | undefined;

  constructor(run: string, command: string, cwd: string | undefined, gone: () => void) {
    const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const options = { enableScripts: true, localResourceRoots: [], retainContextWhenHidden: true };
    this.panel = vscode.window.createWebviewPanel(VIEW, `Run ${run}`, column, options);
    this.child = spawn(command, ["workflow", "watch", run, "--stdio", SHARED], { cwd });
    const said: string[] = [];
    createInterface({ input: this.child.stdout }).on("line", (line) => this.heard(JSON.parse(line) as Line));
    createInterface({ input: this.child.stderr }).on("line", (line) => said.push(line));
    this.child.on("error", (error) => void vscode.window.showErrorMessage(error.message));
    this.child.on("close", (status) => {
      if (status !== 0 && status !== null) {
        void vscode.window.showErrorMessage(said.join("\n").slice(-500));
      }
    });
    this.panel.webview.onDidReceiveMessage((message: { ready?: boolean; action?: unknown }) => {
      if (message.ready === true) {
        this.show();
      } else if (message.action !== undefined) {
        this.child.stdin.write(`${JSON.stringify(message.action)}\n`);
      }
    });
    this.panel.onDidDispose(() => {
      this.child.kill();
      gone();
    });
  }

  reveal(): void {
    this.panel.reveal(undefined, true);
  }

  dispose(): void {
    this.panel.dispose();
  }

  private heard(line: Line): void {
    if (line.page !== undefined) {
      this.panel.title = line.title ?? this.panel.title;
      this.panel.webview.html = line.page;
    } else if (line.refused !== undefined) {
      void vscode.window.showErrorMessage(line.refused);
    } else if (line.update !== undefined) {
      // The graph comes with the first one only, and the page may not be there yet.
      this.update = { ...this.update, ...line.update };
      this.show();
    }
  }

  private show(): void {
    if (this.update !== undefined) {
      void this.panel.webview.postMessage({ update: this.update });
    }
  }
}

/** Where commands run. */
function root(document?: string): string | undefined {
  const folder = document === undefined ? undefined : vscode.workspace.getWorkspaceFolder(vscode.Uri.file(document));
  return folder?.uri.fsPath ?? folders()[0];
}

async function chosenDocument(uri: unknown): Promise<string | undefined> {
  if (typeof uri === "string") {
    return vscode.Uri.parse(uri).fsPath;
  }
  const active = vscode.window.activeTextEditor?.document.uri.fsPath;
  if (active !== undefined && path.basename(active) === DOCUMENT) {
    return active;
  }
  const found = await vscode.workspace.findFiles(`**/${DOCUMENT}`, "**/node_modules/**", 200);
  if (found.length === 0) {
    void vscode.window.showInformationMessage("This workspace has no workflow.json.");
  }
  const items = found.map((one) => ({ label: vscode.workspace.asRelativePath(one), path: one.fsPath }));
  return items.length < 2 ? items[0]?.path : (await vscode.window.showQuickPick(items, { title: "Workflow" }))?.path;
}
