// Puts the page together: takes updates from the server, shows them, sends what a person decides.

/** @type {any} */
let graph = null;
/** @type {any} */
let latest = null;
let chosen = "";
/** Milliseconds from this clock to the server's. */
let ahead = 0;

/** @param {any} update */
function take(update) {
  if (update.graph) {
    graph = update.graph;
    drawGraph(graph, choose);
  }
  latest = update;
  ahead = update.now - Date.now();
  note("");
  show();
}

function show() {
  const { run, steps, waiting } = latest;
  const now = Date.now() + ahead;
  document.title = visible(`${word(run.status)} – ${run.name}`);
  setText(byId("title"), `${run.name} v${run.version}`);
  const pill = byId("state");
  pill.setAttribute("data-state", run.status);
  setText(pill, word(run.status));
  const ended = Object.values(steps).filter((/** @type {any} */ step) => step.status === "completed").length;
  setText(byId("facts"), `run ${run.id} · ${ended} of ${graph.steps.length} steps · ${time(run.duration_ms)}`);
  byId("resume").hidden = !(run.status === "paused" && waiting.length === 0);
  byId("cancel").hidden = !["running", "paused"].includes(run.status);
  if (latest.note) note(latest.note);
  showStates(graph, steps, chosen, now);
  showTimes(graph, steps, now);
  showGates(waiting);
  showStep(steps[chosen], now);
  showLog(latest.log);
  document.documentElement.dataset.version = String(latest.version);
}

/** @param {string} name */
function choose(name) {
  chosen = chosen === name ? "" : name;
  if (latest) show();
}

/** @param {any[]} waiting */
function showGates(waiting) {
  byId("gates").hidden = waiting.length === 0;
  const make = (/** @type {any} */ gate) => {
    const box = made("form", "gate");
    const about = made("p", "about");
    const reason = /** @type {HTMLInputElement} */ (made("input"));
    reason.setAttribute("aria-label", "Comment");
    reason.placeholder = "Comment, for the record";
    reason.maxLength = 4000;
    const approve = made("button", "approve", "Approve");
    const reject = made("button", "reject", "Reject");
    reject.setAttribute("type", "button");
    box.addEventListener("submit", (event) => {
      event.preventDefault();
      send({ do: "approve", step: gate.id, reason: reason.value || null });
    });
    reject.addEventListener("click", () => send({ do: "reject", step: gate.id, reason: reason.value || null }));
    box.append(about, reason, approve, reject);
    return box;
  };
  arrange(byId("gate-list"), waiting, (gate) => gate.id, make, (box, gate) => {
    setText(box.querySelector(".about"), gate.role ? `${gate.id} (role: ${gate.role})` : gate.id);
  });
}

/** @param {any} step @param {number} now */
function showStep(step, now) {
  const declared = graph.steps.find((/** @type {any} */ one) => one.id === chosen);
  setText(byId("step-title"), declared ? `Step ${chosen}` : "Step");
  /** @type {[string, unknown][]} */
  const rows = [];
  if (declared) {
    rows.push(["what", declared.about], ["state", word(step?.status ?? "pending")]);
    if (declared.after.length) rows.push(["after", declared.after.join(", ")]);
    if (step?.started) rows.push(["took", time((step.ended ?? now) - step.started)]);
    if (step?.attempts > 1) rows.push(["attempts", step.attempts]);
    if (step?.decision) rows.push(["decision", step.decision]);
    if (step?.error) rows.push(["error", step.error]);
    if (step?.output !== undefined && step.output !== null) rows.push(["output", step.output]);
    if (step?.hash) rows.push(["hash", step.hash]);
  }
  const box = byId("step");
  if (rows.length === 0) {
    if (!box.querySelector(".nothing")) box.replaceChildren(made("p", "nothing", "Select a step."));
    return;
  }
  let list = box.querySelector("dl");
  if (!list) box.replaceChildren((list = /** @type {HTMLDListElement} */ (made("dl"))));
  const cells = rows.flatMap(([name, value]) => [["dt", name, ""], ["dd", value, name]]);
  arrange(list, cells, ([tag, , name]) => `${tag}${name}`, ([tag, , name]) => made(String(tag), String(name)), (cell, [, text]) => setText(cell, text));
}

/** @param {any[]} log */
function showLog(log) {
  const make = () => {
    const line = made("li");
    line.append(made("span", "text"), " ", made("span", "hash"));
    return line;
  };
  arrange(byId("log"), log, () => "line", make, (line, entry) => {
    setText(line.querySelector(".text"), `${entry.number}. ${entry.text}`);
    setText(line.querySelector(".hash"), entry.hash);
  });
}

/** @param {string} text */
function note(text) {
  byId("note").hidden = !text;
  setText(byId("note"), text);
}

/** @param {any} action */
async function send(action) {
  note("");
  try {
    await way.act(action);
  } catch (error) {
    note(error instanceof Error ? error.message : String(error));
  }
}

window.addEventListener("resize", () => graph && fitGraph(graph));
byId("resume").addEventListener("click", () => send({ do: "resume" }));
byId("cancel").addEventListener("click", () => send({ do: "cancel" }));
setInterval(() => latest?.run.status === "running" && !document.hidden && show(), 500);
const way = TRANSPORTS[document.documentElement.dataset.transport ?? "http"](take, (error) => note(String(error)));
