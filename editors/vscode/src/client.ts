// The language client's life: a server is searched, started, shown in the language status, restarted when a setting that matters changes.

import { homedir } from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, State } from "vscode-languageclient/node";
import { codesExplained } from "./explain";
import { folders, libraries } from "./folders";
import { beside, type Found, search, type Search, type Surroundings } from "./server/candidates";
import { installServer, problem, resolveMissing } from "./server/choosing";
import { showAgain, shownHints, shownLenses } from "./shown";

const RESTARTING_SETTINGS = ["server.path", "server.arguments", "server.standalone", "libsDir", "diagnostics.scope"];
const PROGRAMS = [{ language: "boruna" }];
/** Documents that the server knows by their names (docs/documents.md); it leaves those of other programs alone. */
const DOCUMENTS = [
  "**/workflow.json",
  "**/boruna.toml",
  "**/policy.json",
  "**/*.policy.json",
  "**/*-policy.json",
  "**/templates/*/template.json",
  "**/package.ax.json",
].map((pattern) => ({ scheme: "file", pattern }));
/** What the editor does for documents itself: with a second formatter it would ask which one to take. */
const PROGRAMS_ONLY = ["textDocument/formatting", "textDocument/rangeFormatting", "textDocument/onTypeFormatting"] as const;
const PYTHON_EXTENSION = "ms-python.python";
const PYTHON_PATIENCE = 3_000;

/** The API of the Python extension, as far as it is used here. */
interface PythonApi {
  environments?: { getActiveEnvironmentPath(resource?: vscode.Uri): { path: string } };
}

export class Server implements vscode.Disposable {
  readonly output = vscode.window.createOutputChannel("Boruna", { log: true });
  client: LanguageClient | undefined;
  /** The server that was found; its neighbours are the other commands of the installation. */
  found: Found | undefined;
  /** Settles when the first search for a server has ended. */
  readonly searched: Promise<void>;
  private endSearch = (): void => {};
  private around: Surroundings | undefined;
  private generation = 0;
  private isAsking = false;
  private isRestartWanted = false;
  private restarting: Promise<void> | undefined;
  private readonly trace = vscode.window.createOutputChannel("Boruna trace");
  private readonly status = vscode.languages.createLanguageStatusItem("boruna.status", { language: "boruna" });
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly ran = new vscode.EventEmitter<void>();
  private readonly created = new vscode.EventEmitter<LanguageClient>();
  /** Fires when another server runs, or none. */
  readonly onDidChange = this.changed.event;
  /** A program was run. */
  readonly onDidRun = this.ran.event;
  /** Fires with each client before it starts: to hear notifications of the server. */
  readonly onDidCreate = this.created.event;
  /** Commands of the server that this extension does itself. */
  readonly instead = new Map<string, (args: unknown[]) => unknown>();
  private readonly parts: vscode.Disposable[];

  constructor(private readonly context: vscode.ExtensionContext) {
    this.searched = new Promise((resolve) => (this.endSearch = resolve));
    this.status.name = "Boruna";
    this.parts = [
      this.output,
      this.trace,
      this.status,
      this.changed,
      this.created,
      this.ran,
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.restart()),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (RESTARTING_SETTINGS.some((setting) => change.affectsConfiguration(`boruna.${setting}`))) {
          void this.restart();
        } else if (["inlayHints", "codeLens"].some((setting) => change.affectsConfiguration(`boruna.${setting}`))) {
          showAgain(this.client);
        }
      }),
    ];
  }

  /** Commands of the server that can be run. */
  get commands(): readonly string[] {
    return this.client?.isRunning() ? (this.client.initializeResult?.capabilities.executeCommandProvider?.commands ?? []) : [];
  }

  /** The full path of another command of the server's installation. */
  command(name: "boruna-ls" | "boruna-mcp"): string | undefined {
    return this.found === undefined || this.around === undefined ? undefined : beside(this.found.command, name, this.around);
  }

  /** As a restart, because trust and settings can change while the first search lasts. */
  async start(): Promise<void> {
    await this.restart();
  }

  private async begin(): Promise<void> {
    const generation = ++this.generation;
    this.show(State.Starting);
    this.around = await surroundings(this.context);
    const searched = await search(this.around);
    if (generation !== this.generation) {
      return;
    }
    for (const { command, origin, reason } of searched.rejected) {
      this.output.warn(`${command} (${origin}): ${reason}`);
    }
    this.found = searched.found;
    this.endSearch();
    if (searched.found === undefined) {
      this.output.error(problem(searched, this.around));
      this.show(State.Stopped);
      void this.ask(searched, this.around);
      return;
    }
    await this.connect(searched.found);
  }

  async stop(): Promise<void> {
    this.isRestartWanted = false;
    await this.disconnect();
  }

  private async disconnect(): Promise<void> {
    this.generation++;
    const stopping = this.client;
    this.client = undefined;
    try {
      await stopping?.dispose();
    } catch (error) {
      // A server that never ran, or died, cannot be asked to shut down.
      this.output.warn(String(error));
    }
  }

  /** One after the other: trust, its settings and their file change at once, and two clients would register the same commands. */
  async restart(): Promise<void> {
    this.isRestartWanted = true;
    // A search that has not ended is out of date.
    this.generation++;
    this.restarting ??= this.restarts().finally(() => (this.restarting = undefined));
    await this.restarting;
  }

  private async restarts(): Promise<void> {
    while (this.isRestartWanted) {
      this.isRestartWanted = false;
      await this.disconnect();
      await this.begin();
    }
  }

  /** Installs a server on request, and starts it. */
  async install(): Promise<void> {
    if (await installServer(this.around ?? (await surroundings(this.context)), this.context.extensionUri, this.output)) {
      await this.restart();
    }
  }

  dispose(): void {
    for (const part of this.parts) {
      part.dispose();
    }
  }

  /** Asks once, however often the search fails meanwhile. */
  private async ask(searched: Search, around: Surroundings): Promise<void> {
    if (this.isAsking) {
      return;
    }
    this.isAsking = true;
    const isResolved = await resolveMissing(searched, around, this.context.extensionUri, this.output).finally(() => {
      this.isAsking = false;
    });
    // A changed setting restarts by itself; searching twice does no harm.
    if (isResolved) {
      await this.restart();
    }
  }

  private async connect(server: Found): Promise<void> {
    const { args, cwd } = commandLine();
    const starting = new LanguageClient("boruna", "Boruna", { command: server.command, args, options: { cwd } }, this.options());
    this.client = starting;
    for (const method of PROGRAMS_ONLY) {
      const feature = starting.getFeature(method as "textDocument/formatting");
      const register = feature.register.bind(feature);
      feature.register = (data) =>
        register({ ...data, registerOptions: { ...data.registerOptions, documentSelector: PROGRAMS } });
    }
    this.created.fire(starting);
    starting.onDidChangeState(({ newState }) => {
      if (this.client === starting) {
        this.show(newState);
      }
    });
    this.output.info(`starting ${[server.command, ...args].join(" ")} (${server.origin})`);
    try {
      await starting.start();
      const told = starting.initializeResult?.serverInfo;
      this.output.info(`${told?.name} ${told?.version} runs`);
    } catch (error) {
      if (this.client !== starting) {
        return;
      }
      const reason = `does not start: ${error instanceof Error ? error.message : String(error)}`;
      this.output.error(reason);
      this.show(State.Stopped);
      if (this.around !== undefined) {
        void this.ask({ rejected: [{ ...server, reason }] }, this.around);
      }
    }
  }

  private options(): LanguageClientOptions {
    const scope = vscode.workspace.getConfiguration("boruna").get("diagnostics.scope", "workspace");
    return {
      initializationOptions: { diagnostics: { scope } },
      documentSelector: [...PROGRAMS, ...DOCUMENTS],
      outputChannel: this.output,
      traceOutputChannel: this.trace,
      middleware: {
        // The client asks for the whole workspace as soon as a server can tell of it.
        provideWorkspaceDiagnostics: (known, token, report, next) =>
          scope === "workspace" ? next(known, token, report) : { items: [] },
        handleDiagnostics: (uri, diagnostics, next) => next(uri, codesExplained(diagnostics)),
        provideDiagnostics: async (document, previous, token, next) => {
          const report = await next(document, previous, token);
          return report !== null && report !== undefined && "items" in report
            ? { ...report, items: codesExplained(report.items) }
            : report;
        },
        provideInlayHints: async (document, range, token, next) => shownHints(await next(document, range, token)),
        provideCodeLenses: async (document, token, next) => shownLenses(await next(document, token)),
        // Whoever asks, a button, a code lens or a key: the whole answer is in the output.
        executeCommand: async (command, args, next) => {
          const own = this.instead.get(command);
          if (own !== undefined) {
            return own(args);
          }
          const answer = await next(command, args);
          if (command === "boruna.run") {
            this.ran.fire();
          }
          this.output.info(`${command}\n${JSON.stringify(answer, null, 2).slice(0, 100_000)}`);
          return answer;
        },
      },
    };
  }

  private show(state: State): void {
    const offered = state === State.Running ? this.commands : [];
    void vscode.commands.executeCommand("setContext", "boruna.running", state === State.Running);
    for (const [name, command] of [["canRun", "boruna.run"], ["canTrace", "boruna.trace"], ["canPreview", "boruna.preview"]]) {
      void vscode.commands.executeCommand("setContext", `boruna.${name}`, offered.includes(command ?? ""));
    }
    this.status.busy = state === State.Starting;
    if (state === State.Stopped) {
      this.status.text = this.found === undefined ? "Boruna: no server" : "Boruna: stopped";
      this.status.detail = undefined;
      this.status.severity = vscode.LanguageStatusSeverity.Error;
      this.status.command = { command: "boruna.restart", title: "Restart" };
    } else {
      this.status.text = `Boruna ${this.found?.version ?? ""}`.trim();
      this.status.detail = this.found === undefined ? undefined : `${path.dirname(this.found.command)} (${this.found.origin})`;
      this.status.severity = vscode.LanguageStatusSeverity.Information;
      this.status.command = { command: "boruna.showOutput", title: "Output" };
    }
    this.changed.fire();
  }
}

/** Arguments and working directory of a server. */
export function commandLine(): { args: string[]; cwd: string | undefined } {
  const settings = vscode.workspace.getConfiguration("boruna");
  const cwd = folders()[0];
  const args = [...settings.get<string[]>("server.arguments", [])];
  if (settings.get("server.standalone", false)) {
    args.push("--standalone");
  }
  return { args: [...args, ...libraries()], cwd };
}

async function surroundings(context: vscode.ExtensionContext): Promise<Surroundings> {
  const settings = vscode.workspace.getConfiguration("boruna");
  const trusted = vscode.workspace.isTrusted;
  return {
    chosen: settings.get("server.path", "").trim(),
    chosenArguments: settings.get<string[]>("server.arguments", []),
    folders: folders(),
    trusted,
    interpreter: trusted ? await interpreter() : undefined,
    environment: process.env,
    home: homedir(),
    storage: context.globalStorageUri.fsPath,
  };
}

/** The interpreter that the Python extension uses here, if it says so soon enough. */
async function interpreter(): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>(PYTHON_EXTENSION);
  if (extension === undefined) {
    return undefined;
  }
  try {
    const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), PYTHON_PATIENCE));
    const api = await Promise.race([extension.activate(), late]);
    return api?.environments?.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri).path;
  } catch {
    return undefined;
  }
}
