// Which of the server's hints and lenses are shown: settings of the editor, applied to what the server offers.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

const RUNNING = ["boruna.run", "boruna.trace", "boruna.workflow"];

/** Inlay hints without the kinds that are switched off. */
export function shownHints(hints: vscode.InlayHint[] | null | undefined): vscode.InlayHint[] | null | undefined {
  const settings = vscode.workspace.getConfiguration("boruna");
  const types = settings.get("inlayHints.types", true);
  const parameters = settings.get("inlayHints.parameterNames", true);
  const isShown = ({ kind }: vscode.InlayHint): boolean =>
    kind === vscode.InlayHintKind.Type ? types : kind === vscode.InlayHintKind.Parameter ? parameters : true;
  return types && parameters ? hints : hints?.filter(isShown);
}

/** Code lenses without those that are switched off, and without those of tests: the test explorer has its own marks. */
export function shownLenses(lenses: vscode.CodeLens[] | null | undefined): vscode.CodeLens[] | null | undefined {
  const settings = vscode.workspace.getConfiguration("boruna");
  const run = settings.get("codeLens.run", true);
  const others = settings.get("codeLens.others", true);
  const isShown = (name: string): boolean => name !== "boruna.test" && (RUNNING.includes(name) ? run : others);
  return lenses?.filter(({ command }) => isShown(command?.command ?? ""));
}

/** Asks for hints and lenses of the open programs again, since other ones are wanted. */
export function showAgain(client: LanguageClient | undefined): void {
  for (const document of client?.isRunning() === true ? vscode.workspace.textDocuments : []) {
    client?.getFeature("textDocument/inlayHint").getProvider(document)?.onDidChangeInlayHints.fire();
    client?.getFeature("textDocument/codeLens").getProvider(document)?.onDidChangeCodeLensEmitter.fire();
  }
}
