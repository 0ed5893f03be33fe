// The page of an open task. Prompt, schema and refusals are data: they are set as text, never as HTML.

import type { Task } from "./executions";

/** The page; `nonce` is what its script and style are allowed by. */
export function page(nonce: string, execution: string, task: Task): string {
  const facts = { execution, prompt: task.prompt, schema: task.schema, problem: task.lastRefusal ?? "" };
  // A JSON text inside a script must not end it.
  const data = JSON.stringify(facts).replaceAll("<", "\\u003c").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'">
<title>Task</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<h2 id="execution"></h2>
<pre id="prompt"></pre>
<details id="form" hidden open><summary>The answer is JSON that fits this schema</summary><pre id="schema"></pre></details>
<form id="task">
<label for="answer">Answer</label>
<textarea id="answer" rows="6" autofocus></textarea>
<p id="problem" role="alert"></p>
<button type="submit" id="submit">Submit</button> <small>Ctrl+Enter</small>
</form>
<p id="end" role="status"></p>
<script nonce="${nonce}">(${script.toString()})(${data});</script>
</body>
</html>`;
}

const STYLE = `
body { padding: 8px 20px; max-width: 900px; }
h2 { font-weight: 600; font-size: 1.2em; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: 10px; background: var(--vscode-textCodeBlock-background); }
#prompt { font-family: var(--vscode-font-family); font-size: 1.1em; }
label { display: block; margin: 12px 0 4px; }
textarea { width: 100%; box-sizing: border-box; font-family: var(--vscode-editor-font-family); color: var(--vscode-input-foreground);
  background: var(--vscode-input-background); border: 1px solid var(--vscode-input-border, transparent); padding: 6px; }
button { color: var(--vscode-button-foreground); background: var(--vscode-button-background); border: 0; padding: 6px 14px; cursor: pointer; }
button:disabled { opacity: 0.6; }
#problem { color: var(--vscode-errorForeground); white-space: pre-wrap; overflow-wrap: anywhere; }
#end { white-space: pre-wrap; overflow-wrap: anywhere; }
`;

/* Runs in the page: it may use nothing of this module. */
function script(facts: { execution: string; prompt: string; schema?: unknown; problem: string }): void {
  const doc = (globalThis as any).document;
  const host = (globalThis as any).acquireVsCodeApi();
  const part = (name: string): any => doc.getElementById(name);
  part("execution").textContent = `A task of ${facts.execution}`;
  part("prompt").textContent = facts.prompt;
  part("problem").textContent = facts.problem;
  if (facts.schema !== undefined && facts.schema !== null) {
    part("schema").textContent = JSON.stringify(facts.schema, null, 2);
    part("form").hidden = false;
  }
  const submit = (event: any): void => {
    event.preventDefault();
    if (!part("submit").disabled) {
      part("submit").disabled = true;
      part("problem").textContent = "";
      host.postMessage({ answer: part("answer").value });
    }
  };
  part("task").addEventListener("submit", submit);
  part("answer").addEventListener("keydown", (event: any) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      submit(event);
    }
  });
  (globalThis as any).addEventListener("message", ({ data }: any) => {
    part("submit").disabled = false;
    part("problem").textContent = data.problem ?? "";
    if (data.end !== undefined) {
      part("task").hidden = true;
      part("end").textContent = data.end;
    }
  });
}
