// The page of a trace: a list of which only the rows on screen exist. All texts are data: they are set as text, never as HTML.

interface Facts {
  total: number;
  /** Rows of one page. */
  size: number;
  title: string;
  summary: string;
}

/** The page; `nonce` is what its script and style are allowed by. */
export function page(nonce: string, facts: Facts): string {
  // A JSON text inside a script must not end it.
  const data = JSON.stringify(facts).replaceAll("<", "\\u003c").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'">
<title>Trace</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<header><strong id="summary"></strong> <label><input type="checkbox" id="instructions"> Instructions</label> <span id="problem" role="status"></span></header>
<main id="view" tabindex="0" role="grid" aria-label="Executed steps"><div id="space"></div><div id="rows"></div></main>
<script nonce="${nonce}">const facts = ${data};
(${script.toString()})(facts);</script>
</body>
</html>`;
}

const STYLE = `
body { margin: 0; padding: 0; height: 100vh; display: flex; flex-direction: column; font-family: var(--vscode-editor-font-family); font-size: 12px; }
header { padding: 6px 10px; display: flex; gap: 16px; font-family: var(--vscode-font-family); }
#problem { color: var(--vscode-errorForeground); }
main { flex: 1; overflow-y: scroll; position: relative; outline-offset: -1px; }
#rows { position: absolute; left: 0; right: 0; top: 0; }
.row { height: 20px; line-height: 20px; display: grid; grid-template-columns: 80px 70px 1fr 1fr; gap: 10px; padding: 0 10px; white-space: pre; cursor: pointer; }
.instructions .row { grid-template-columns: 80px 70px 1fr 1fr 1fr; }
.row > * { overflow: hidden; text-overflow: ellipsis; }
.row:hover { background: var(--vscode-list-hoverBackground); }
.row.current { background: var(--vscode-list-activeSelectionBackground); color: var(--vscode-list-activeSelectionForeground); }
.step, .place { color: var(--vscode-descriptionForeground); text-align: right; }
.instruction { display: none; }
.instructions .instruction { display: block; }
`;

/* Runs in the page: it may use nothing of this module. */
function script(facts: Facts): void {
  const doc = (globalThis as any).document;
  const host = (globalThis as any).acquireVsCodeApi();
  const ROW = 20;
  // Browsers do not draw elements of more than some ten million pixels: beyond that the scroll bar is coarser than a row.
  const height = Math.min(facts.total * ROW, 12_000_000);
  const view = doc.getElementById("view");
  const rows = doc.getElementById("rows");
  const pages = new Map<number, any[]>();
  const asked = new Set<number>();
  let current = 0;
  doc.getElementById("space").style.height = `${height}px`;
  doc.getElementById("summary").textContent = `${facts.total.toLocaleString("en")} steps, ${facts.summary}`;

  const first = (): number => {
    const most = Math.max(height - view.clientHeight, 1);
    const visible = Math.floor(view.clientHeight / ROW);
    return Math.round((view.scrollTop / most) * Math.max(facts.total - visible, 0));
  };
  const cell = (row: any, name: string, text: string): void => {
    const made = doc.createElement("span");
    made.className = name;
    made.textContent = text;
    made.title = text;
    row.append(made);
  };
  const draw = (): void => {
    const start = first();
    const count = Math.ceil(view.clientHeight / ROW) + 1;
    rows.style.transform = `translateY(${view.scrollTop}px)`;
    rows.replaceChildren();
    for (let index = start; index < Math.min(start + count, facts.total); index++) {
      const number = Math.floor(index / facts.size);
      const known = pages.get(number)?.[index % facts.size];
      if (!pages.has(number) && !asked.has(number)) {
        asked.add(number);
        host.postMessage({ kind: "page", page: number });
      }
      const row = doc.createElement("div");
      row.className = index + 1 === current ? "row current" : "row";
      row.setAttribute("role", "row");
      row.dataset.step = String(index + 1);
      cell(row, "step", String(index + 1));
      cell(row, "place", known === undefined ? "…" : known.file === undefined ? String(known.line ?? "") : known.file.split("/").slice(-3)[0]);
      cell(row, "source", known?.source ?? "");
      cell(row, "value", known?.value ?? "");
      cell(row, "instruction", known?.instruction ?? "");
      rows.append(row);
    }
  };
  const choose = (step: number, go = false): void => {
    current = Math.max(1, Math.min(step, facts.total));
    host.postMessage({ kind: "open", step: current, go });
    draw();
  };
  let isDrawing = false;
  view.addEventListener("scroll", () => {
    if (!isDrawing) {
      isDrawing = true;
      (globalThis as any).requestAnimationFrame(() => {
        isDrawing = false;
        draw();
      });
    }
  });
  // A click draws the rows anew, so the second one of a double click is on another element: its count tells.
  rows.addEventListener("click", (event: any) => choose(Number(event.target.closest(".row")?.dataset.step ?? current), event.detail > 1));
  view.addEventListener("keydown", (event: any) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(current + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter" && current > 0) {
      choose(current, true);
    }
  });
  doc.getElementById("instructions").addEventListener("change", (event: any) => {
    doc.body.classList.toggle("instructions", event.target.checked);
  });
  (globalThis as any).addEventListener("message", ({ data }: any) => {
    asked.delete(data.page);
    doc.getElementById("problem").textContent = data.problem ?? "";
    if (data.rows.length > 0) {
      pages.set(data.page, data.rows);
      if (data.rows.length < facts.size) {
        // The step that ends a run has no instruction of its own.
        facts.total = data.page * facts.size + data.rows.length;
      }
      if (pages.size > 60) {
        pages.delete(pages.keys().next().value as number);
      }
      draw();
    }
  });
  (globalThis as any).addEventListener("resize", draw);
  draw();
}
