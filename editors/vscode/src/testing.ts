// The test explorer: functions `test_NAME` without parameters, run by the server with mocked effects.

import * as vscode from "vscode";
import type { Server } from "./client";
import { debug } from "./debugging";

const COMMAND = "boruna.test";
const TEST = /^(?:export[ \t]+)?fn[ \t]+(test_[A-Za-z0-9_]*)[ \t]*\([ \t]*\)/gm;
const MOST_FILES = 5_000;
const MOST_CHARACTERS = 2_000_000;
const PAUSE = 300;

interface Result {
  name: string;
  status: "passed" | "failed" | "not_run";
  message?: string;
  steps: number;
  line?: number;
  col?: number;
}

interface Answer {
  success: boolean;
  message?: string;
  tests?: Result[];
  errors?: { message: string; line?: number }[];
}

export function testing(server: Server): vscode.Disposable[] {
  const controller = vscode.tests.createTestController("boruna", "Boruna");
  const waiting = new Map<string, NodeJS.Timeout>();
  const look = (document: vscode.TextDocument): void => {
    if (document.languageId === "boruna" && document.uri.scheme === "file") {
      clearTimeout(waiting.get(document.uri.toString()));
      waiting.set(document.uri.toString(), setTimeout(() => show(controller, document.uri, document.getText()), PAUSE));
    }
  };
  controller.resolveHandler = (item) => (item === undefined ? everything(controller) : undefined);
  controller.refreshHandler = () => everything(controller);
  controller.createRunProfile("Run", vscode.TestRunProfileKind.Run, (request, token) => run(server, controller, request, token), true);
  controller.createRunProfile("Debug", vscode.TestRunProfileKind.Debug, (request) => debugFirst(controller, request));
  for (const document of vscode.workspace.textDocuments) {
    look(document);
  }
  return [
    controller,
    vscode.workspace.onDidOpenTextDocument(look),
    vscode.workspace.onDidChangeTextDocument(({ document }) => look(document)),
    vscode.workspace.onDidDeleteFiles(({ files }) => files.forEach((uri) => controller.items.delete(uri.toString()))),
    new vscode.Disposable(() => waiting.forEach((timer) => clearTimeout(timer))),
  ];
}

async function everything(controller: vscode.TestController): Promise<void> {
  for (const uri of await vscode.workspace.findFiles("**/*.ax", "**/{.venv,venv,node_modules,.git}/**", MOST_FILES)) {
    const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
    try {
      show(controller, uri, open?.getText() ?? new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)));
    } catch {
      controller.items.delete(uri.toString());
    }
  }
}

/** The tests of a text, under its file. */
function show(controller: vscode.TestController, uri: vscode.Uri, text: string): void {
  const found = text.length > MOST_CHARACTERS ? [] : [...text.matchAll(TEST)];
  if (found.length === 0) {
    controller.items.delete(uri.toString());
    return;
  }
  const file = controller.items.get(uri.toString()) ?? controller.createTestItem(uri.toString(), vscode.workspace.asRelativePath(uri), uri);
  controller.items.add(file);
  const items = new Map<string, vscode.TestItem>();
  for (const match of found) {
    const name = match[1] ?? "";
    const line = text.slice(0, match.index).split("\n").length - 1;
    const item = file.children.get(name) ?? controller.createTestItem(name, name, uri);
    item.range = new vscode.Range(line, 0, line, match[0].length);
    items.set(name, item);
  }
  file.children.replace([...items.values()]);
}

async function run(
  server: Server,
  controller: vscode.TestController,
  request: vscode.TestRunRequest,
  token: vscode.CancellationToken,
): Promise<void> {
  const testRun = controller.createTestRun(request);
  try {
    if (request.include === undefined) {
      // The explorer may never have been shown, and what was opened or typed just now is looked at after a pause.
      await everything(controller);
    }
    for (const [file, tests] of chosen(controller, request)) {
      if (token.isCancellationRequested) {
        break;
      }
      tests.forEach((test) => testRun.started(test));
      await runFile(server, testRun, file, tests, token);
    }
  } finally {
    testRun.end();
  }
}

/** One session debugs one test: the first that was asked for. */
async function debugFirst(controller: vscode.TestController, request: vscode.TestRunRequest): Promise<void> {
  for (const [file, [test]] of chosen(controller, request)) {
    if (test !== undefined) {
      await debug(file.uri, test.id);
      return;
    }
  }
}

/** The tests of a request, by file. */
function chosen(controller: vscode.TestController, request: vscode.TestRunRequest): Map<vscode.TestItem, vscode.TestItem[]> {
  const roots: vscode.TestItem[] = [];
  controller.items.forEach((item) => roots.push(item));
  const found = new Map<vscode.TestItem, vscode.TestItem[]>();
  for (const item of request.include ?? roots) {
    const file = item.parent ?? item;
    const tests = found.get(file) ?? [];
    if (item.parent !== undefined) {
      tests.push(item);
    } else {
      item.children.forEach((test) => tests.push(test));
    }
    found.set(file, tests.filter((test) => !(request.exclude ?? []).includes(test)));
  }
  return found;
}

async function runFile(
  server: Server,
  testRun: vscode.TestRun,
  file: vscode.TestItem,
  tests: vscode.TestItem[],
  token: vscode.CancellationToken,
): Promise<void> {
  let answer: Answer;
  try {
    if (server.client === undefined || !server.commands.includes(COMMAND)) {
      throw new Error("the language server does not run tests");
    }
    const parameters = { command: COMMAND, arguments: [file.id, tests.map(({ id }) => id)] };
    answer = await server.client.sendRequest<Answer>("workspace/executeCommand", parameters, token);
  } catch (error) {
    answer = { success: false, message: error instanceof Error ? error.message : String(error) };
  }
  for (const test of tests) {
    const result = answer.tests?.find(({ name }) => name === test.id);
    if (result === undefined) {
      const error = answer.errors?.[0];
      testRun.errored(test, new vscode.TestMessage(answer.message ?? error?.message ?? "the program has no such test"));
    } else if (result.status === "passed") {
      testRun.passed(test);
    } else if (result.status === "failed") {
      testRun.failed(test, failure(result, test));
    } else {
      testRun.skipped(test);
    }
    const told = result === undefined ? "" : `${result.status}, ${result.steps} steps${result.message ? `: ${result.message}` : ""}`;
    testRun.appendOutput(`${test.id} ${told}\r\n`, undefined, test);
  }
}

function failure(result: Result, test: vscode.TestItem): vscode.TestMessage {
  const message = new vscode.TestMessage(result.message ?? "failed");
  if (test.uri !== undefined && result.line !== undefined) {
    message.location = new vscode.Location(test.uri, new vscode.Position(result.line - 1, Math.max((result.col ?? 1) - 1, 0)));
  }
  return message;
}
