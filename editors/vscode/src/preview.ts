// Previews of applications: webviews that show the server's page and carry messages between it and the server, and nothing else.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

export const PREVIEW = "boruna.preview";
const ACT = "boruna/preview/act";
const CLOSE = "boruna/preview/close";
const UPDATE = "boruna/preview/update";

interface Opened {
  success: boolean;
  preview: string;
  title: string;
  html: string;
  message?: string;
}

/** One panel for each document. */
export class Previews implements vscode.Disposable {
  private readonly panels = new Map<string, Panel>();

  constructor(
    private readonly client: () => LanguageClient | undefined,
    private readonly output: vscode.LogOutputChannel,
  ) {}

  /** Hears the server's updates; to be called for each client that is started. */
  listen(client: LanguageClient): void {
    client.onNotification(UPDATE, (params: { preview: string; update: unknown }) => {
      for (const panel of this.panels.values()) {
        panel.updated(params.preview, params.update);
      }
    });
  }

  async show(uri: string | undefined): Promise<void> {
    const editor = vscode.window.activeTextEditor?.document;
    const document = uri ?? (editor?.languageId === "boruna" ? editor.uri.toString() : undefined);
    if (document === undefined) {
      void vscode.window.showInformationMessage("Open a .ax file first.");
      return;
    }
    const known = this.panels.get(document);
    if (known !== undefined) {
      known.reveal();
      return;
    }
    const panel = new Panel(document, this.client, this.output, () => this.panels.delete(document));
    this.panels.set(document, panel);
    await panel.open();
  }

  dispose(): void {
    for (const panel of [...this.panels.values()]) {
      panel.dispose();
    }
  }
}

class Panel {
  private readonly panel: vscode.WebviewPanel;
  private preview = "";
  private isReady = false;

  constructor(
    private readonly document: string,
    private readonly client: () => LanguageClient | undefined,
    private readonly output: vscode.LogOutputChannel,
    gone: () => void,
  ) {
    const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    this.panel = vscode.window.createWebviewPanel(PREVIEW, "Preview", column, { enableScripts: true, localResourceRoots: [] });
    this.panel.webview.onDidReceiveMessage((message: { ready?: boolean; action?: unknown }) => this.heard(message));
    this.panel.onDidDispose(() => {
      gone();
      void this.client()?.sendRequest(CLOSE, { preview: this.preview }).then(undefined, () => undefined);
    });
  }

  reveal(): void {
    this.panel.reveal(undefined, true);
  }

  dispose(): void {
    this.panel.dispose();
  }

  /** Has the server begin a preview; also after the server has forgotten the one before. */
  async open(): Promise<void> {
    const parameters = { command: PREVIEW, arguments: [this.document, { webview: true }] };
    const opened = await this.client()?.sendRequest<Opened>("workspace/executeCommand", parameters);
    if (opened === undefined || !opened.success) {
      throw new Error(opened?.message ?? "the language server does not run");
    }
    this.preview = opened.preview;
    this.panel.title = `Preview ${opened.title}`;
    if (this.panel.webview.html !== opened.html) {
      this.panel.webview.html = opened.html;
    } else if (this.isReady) {
      await this.act(undefined);
    }
  }

  updated(preview: string, update: unknown): void {
    if (preview === this.preview) {
      void this.panel.webview.postMessage({ update });
    }
  }

  private async heard(message: { ready?: boolean; action?: unknown }): Promise<void> {
    this.isReady ||= message.ready === true;
    try {
      await this.act(message.ready === true ? undefined : message.action);
    } catch (error) {
      this.output.info(`the preview begins anew: ${error instanceof Error ? error.message : String(error)}`);
      await this.open().catch((second: unknown) => this.output.error(String(second)));
    }
  }

  private async act(action: unknown): Promise<void> {
    await this.client()?.sendRequest(ACT, { preview: this.preview, action });
  }
}
