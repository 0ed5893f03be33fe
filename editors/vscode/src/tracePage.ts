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
<main id="view" tabindex="0" role="grid" aria-label="Executed steps"><div id="space"><div id="rows"></div></div></main>
<script nonce="${nonce}">const facts = ${data};
(${script.toString()})(facts);</script>
</body>
</html>`;
}

const STYLE = `
body { margin: 0; padding: 0; height: 100vh; display: flex; flex-direction: column; font-family: var(--vscode-editor-font-family); font-size: 12px; }
header { padding: 6px 10px; display: flex; gap: 16px; font-family: var(--vscode-font-family); }
#problem { color: var(--vscode-errorForeground); }
main { flex: 1; min-height: 0; overflow-y: scroll; outline-offset: -1px; }
#rows { position: sticky; top: 0; overflow: clip; }
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

  const most = (): number => Math.max(height - view.clientHeight, 1);
  const visible = (): number => Math.floor(view.clientHeight / ROW);
  const first = (): number => Math.round((view.scrollTop / most()) * Math.max(facts.total - visible(), 0));
  const scrollTo = (start: number): void => {
    view.scrollTop = (start / Math.max(facts.total - visible(), 1)) * most();
  };
  const set = (part: any, text: string): void => {
    if (part.textContent !== text) {
      part.textContent = text;
      part.title = text;
    }
  };
  const newRow = (): any => {
    const row = doc.createElement("div");
    row.setAttribute("role", "row");
    for (const name of ["step", "place", "source", "value", "instruction"]) {
      const part = doc.createElement("span");
      part.className = name;
      row.append(part);
    }
    return row;
  };
  const fill = (row: any, step: number, known: any): void => {
    row.className = step === current ? "row current" : "row";
    row.dataset.step = String(step);
    const [number, place, source, value, instruction] = row.children;
    set(number, String(step));
    set(place, known === undefined ? "…" : known.file === undefined ? String(known.line ?? "") : known.file.split("/").slice(-3)[0]);
    set(source, known?.source ?? "");
    set(value, known?.value ?? "");
    set(instruction, known?.instruction ?? "");
  };
  // The elements stay and get other texts: one that is replaced between the press and the release of a button has no click.
  const draw = (): void => {
    const start = first();
    const count = Math.min(Math.ceil(view.clientHeight / ROW) + 1, facts.total - start);
    rows.style.height = `${view.clientHeight}px`;
    while (rows.children.length > count) {
      rows.lastElementChild.remove();
    }
    for (let at = 0; at < count; at++) {
      const index = start + at;
      const number = Math.floor(index / facts.size);
      if (!pages.has(number) && !asked.has(number)) {
        asked.add(number);
        host.postMessage({ kind: "page", page: number });
      }
      if (at === rows.children.length) {
        rows.append(newRow());
      }
      fill(rows.children[at], index + 1, pages.get(number)?.[index % facts.size]);
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
  rows.addEventListener("click", (event: any) => {
    const step = Number(event.target.closest(".row")?.dataset.step);
    if (step > 0) {
      choose(step, event.detail > 1);
    }
  });
  view.addEventListener("keydown", (event: any) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(current + (event.key === "ArrowDown" ? 1 : -1));
      // A click scrolls nothing: the row would leave the mouse before the second one.
      if (current <= first()) {
        scrollTo(current - 1);
      } else if (current > first() + visible()) {
        scrollTo(current - visible());
      }
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
