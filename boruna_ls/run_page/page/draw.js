// The graph and the time line: made of elements and plain text, drawn once and then only changed where a state changes.

const SVG = "http://www.w3.org/2000/svg";
const WORDS = {
  pending: "○ pending",
  running: "▶ running",
  completed: "✓ completed",
  failed: "✗ failed",
  awaiting_approval: "? waits for approval",
  awaiting_external_event: "… waits for an event",
  cancelled: "✗ cancelled",
  paused: "? paused",
};

const byId = (/** @type {string} */ id) => document.getElementById(id);

/** @param {string} state */
const word = (state) => WORDS[/** @type {keyof typeof WORDS} */ (state)] ?? state;

/** @param {string} name @param {Record<string, string | number>} attributes @param {Element} [parent] */
function drawn(name, attributes, parent) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  parent?.append(element);
  return element;
}

/** @param {string} text @param {number} most */
const short = (text, most) => ([...text].length <= most ? text : `${[...text].slice(0, most - 1).join("")}…`);

/** Milliseconds for a person. @param {number} ms */
function time(ms) {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60000);
  return minutes < 60 ? `${minutes} min ${Math.round((ms % 60000) / 1000)} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Makes a graph that is a little too wide fit into its frame; a wider one is scrolled. @param {any} graph */
function fitGraph(graph) {
  const room = byId("graph-frame").clientWidth - 32;
  const scale = Math.min(1, Math.max(0.55, room / graph.width));
  for (const name of ["width", "height"]) byId("graph").setAttribute(name, String(Math.floor(graph[name] * scale)));
}

/** Draws the graph anew. @param {any} graph @param {(name: string) => void} choose */
function drawGraph(graph, choose) {
  const svg = byId("graph");
  svg.replaceChildren();
  fitGraph(graph);
  svg.setAttribute("viewBox", `0 0 ${graph.width} ${graph.height}`);
  const tip = drawn("marker", { id: "tip", viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto" }, drawn("defs", {}, svg));
  drawn("path", { d: "M0 0L8 4L0 8z", class: "tip" }, tip);
  for (const line of graph.lines) drawn("path", { d: line, class: "line", "marker-end": "url(#tip)" }, svg);
  for (const step of graph.steps) {
    const box = drawn("g", { class: "step", tabindex: 0, role: "button", "aria-pressed": "false", "data-step": step.id, "data-kind": step.kind }, svg);
    drawn("title", {}, box);
    drawn("rect", { x: step.x, y: step.y, width: graph.box[0], height: graph.box[1], rx: 8 }, box);
    setText(drawn("text", { x: step.x + 12, y: step.y + 24, class: "name" }, box), short(step.id, 20));
    drawn("text", { x: step.x + 12, y: step.y + 44, class: "word" }, box);
    box.addEventListener("click", () => choose(step.id));
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose(step.id);
    });
  }
}

/** Shows the states of the steps. @param {any} graph @param {any} steps @param {string} chosen @param {number} now */
function showStates(graph, steps, chosen, now) {
  const boxes = byId("graph").querySelectorAll(".step");
  graph.steps.forEach((/** @type {any} */ step, /** @type {number} */ index) => {
    const box = boxes[index];
    const found = steps[step.id];
    const state = found?.status ?? "pending";
    const took = found?.started ? `  ${time((found.ended ?? now) - found.started)}` : "";
    if (box.getAttribute("data-state") !== state) box.setAttribute("data-state", state);
    box.setAttribute("aria-pressed", String(step.id === chosen));
    const shown = word(state) + (state === "completed" || state === "failed" || state === "running" ? took : "");
    setText(box.querySelector(".word"), short(shown, 24));
    setText(box.querySelector("title"), `${step.id}: ${step.about}, ${shown}`);
  });
}

/** Bars of the steps that began. @param {any} graph @param {any} steps @param {number} now */
function showTimes(graph, steps, now) {
  const begun = graph.steps.map((/** @type {any} */ step) => ({ id: step.id, ...steps[step.id] })).filter((/** @type {any} */ step) => step.started);
  begun.sort((/** @type {any} */ a, /** @type {any} */ b) => a.started - b.started);
  const first = Math.min(...begun.map((/** @type {any} */ step) => step.started));
  const last = Math.max(...begun.map((/** @type {any} */ step) => step.ended ?? now));
  const all = Math.max(last - first, 1);
  const make = () => {
    const bar = made("div", "bar");
    bar.append(made("span", "label"));
    const svg = drawn("svg", { viewBox: "0 0 1000 10", preserveAspectRatio: "none", "aria-hidden": "true" }, bar);
    drawn("rect", { y: 0, height: 10, rx: 2 }, svg);
    bar.append(made("span", "took"));
    return bar;
  };
  arrange(byId("times"), begun, () => "bar", make, (bar, step) => {
    const ended = step.ended ?? now;
    bar.setAttribute("data-state", step.status);
    setText(bar.querySelector(".label"), step.id);
    setText(bar.querySelector(".took"), step.ended ? time(ended - step.started) : word(step.status));
    const rect = bar.querySelector("rect");
    rect.setAttribute("x", String((1000 * (step.started - first)) / all));
    rect.setAttribute("width", String(Math.max((1000 * (ended - step.started)) / all, 3)));
  });
}
