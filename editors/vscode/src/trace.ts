// A trace as a table: each executed step with its source line and the value at hand; only what is on screen is asked of the server.

import { randomBytes } from "node:crypto";
import * as path from "node:path";
import * as vscode from "vscode";
import type { Server } from "./client";
import { page } from "./tracePage";

export const TRACE = "boruna.trace";
const PAGE = 1_000;
const KEPT = 40;

interface Step {
  step: number;
  instruction: string;
  value?: string;
  line?: number;
  col?: number;
  file?: string;
}

interface Answer {
  success: boolean;
  message?: string;
  steps?: number;
  trace?: Step[];
}

/** What the page shows of a step. */
interface Row extends Step {
  source: string;
}

/** What the page may send: nothing else is acted upon. */
type Wish = { kind: "page"; page: number } | { kind: "open"; step: number; go?: boolean };

export async function showTrace(server: Server, uri: string | undefined): Promise<void> {
  const chosen = uri === undefined ? vscode.window.activeTextEditor?.document.uri : vscode.Uri.parse(uri);
  if (chosen === undefined) {
    return;
  }
  const document = await vscode.workspace.openTextDocument(chosen);
  const trace = new Trace(server, document);
  const first = await trace.page(0);
  const total = trace.total;
  if (first.length === 0) {
    void vscode.window.showErrorMessage(trace.problem || "The program executed nothing.");
    return;
  }
  const title = `Trace of ${path.basename(document.fileName)}`;
  const panel = vscode.window.createWebviewPanel("boruna.trace", title, vscode.ViewColumn.Beside, { enableScripts: true, localResourceRoots: [] });
  panel.webview.onDidReceiveMessage(async (wish: Wish) => {
    if (wish.kind === "page" && Number.isSafeInteger(wish.page) && wish.page >= 0 && wish.page * PAGE < total) {
      void panel.webview.postMessage({ page: wish.page, rows: await trace.page(wish.page), problem: trace.problem });
    } else if (wish.kind === "open" && Number.isSafeInteger(wish.step)) {
      await reveal(trace.step(wish.step), document, wish.go === true);
    }
  });
  panel.webview.html = page(randomBytes(16).toString("hex"), { total, size: PAGE, title, summary: trace.summary });
}

/** The steps of one text; pages of it are kept, the latest ones. */
class Trace {
  total = 0;
  summary = "";
  problem = "";
  private readonly pages = new Map<number, Row[]>();
  private readonly version: number;

  constructor(
    private readonly server: Server,
    private readonly document: vscode.TextDocument,
  ) {
    this.version = document.version;
  }

  async page(number: number): Promise<Row[]> {
    const known = this.pages.get(number);
    if (known !== undefined) {
      this.pages.delete(number);
      this.pages.set(number, known);
      return known;
    }
    if (this.document.version !== this.version) {
      this.problem = "The program has changed: trace it again.";
      return [];
    }
    const answer = await this.ask(number * PAGE);
    if (answer.trace === undefined) {
      this.problem = answer.message ?? "The program does not compile.";
      return [];
    }
    if (number === 0) {
      this.total = answer.steps ?? answer.trace.length;
      this.summary = answer.success ? "ends well" : `fails: ${answer.message}`;
    }
    const rows = answer.trace.map((step) => ({ ...step, source: this.source(step) }));
    this.pages.set(number, rows);
    const [oldest] = this.pages.keys();
    if (this.pages.size > KEPT && oldest !== undefined) {
      this.pages.delete(oldest);
    }
    return rows;
  }

  step(number: number): Step | undefined {
    return this.pages.get(Math.floor((number - 1) / PAGE))?.find(({ step }) => step === number);
  }

  private async ask(offset: number): Promise<Answer> {
    const { client } = this.server;
    if (client === undefined || !this.server.commands.includes(TRACE)) {
      return { success: false, message: "The language server does not run." };
    }
    // Not by the registered command: that one shows a trace.
    const parameters = { command: TRACE, arguments: [this.document.uri.toString(), { offset, limit: PAGE }] };
    try {
      return await client.sendRequest<Answer>("workspace/executeCommand", parameters);
    } catch (error) {
      return { success: false, message: error instanceof Error ? error.message : String(error) };
    }
  }

  private source({ line, file }: Step): string {
    const isHere = file === undefined && line !== undefined && line >= 1 && line <= this.document.lineCount;
    return isHere ? this.document.lineAt(line - 1).text.trim().slice(0, 200) : "";
  }
}

/** Shows the line of a step; with `go` the cursor is there afterwards, else the list keeps the focus. */
async function reveal(step: Step | undefined, document: vscode.TextDocument, go: boolean): Promise<void> {
  // A library's file is shown by name only: where it lies is the server's knowledge.
  if (step?.line === undefined || step.file !== undefined) {
    return;
  }
  const place = new vscode.Position(step.line - 1, Math.max((step.col ?? 1) - 1, 0));
  const line = document.lineAt(Math.min(place.line, document.lineCount - 1)).range;
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.One, preserveFocus: !go, selection: line });
}
