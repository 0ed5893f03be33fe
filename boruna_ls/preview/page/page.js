// Puts the page together: takes updates from the server, shows them, sends what a person does.

/** @type {string[]} */
const labels = [];
/** @type {any} */
let latest = null;
/** @type {any} */
let shownLast = null;
let drawn = "";
let outlined = "";

/** Takes an update; of those that come together only the last is shown. @param {any} update */
function take(update) {
  const waits = latest !== null && latest !== shownLast;
  latest = update;
  labels.length = update.labels_from;
  labels.push(...update.labels);
  if (!waits) (document.hidden ? setTimeout : requestAnimationFrame)(() => show(latest));
}

/** @param {any} update */
function show(update) {
  shownLast = update;
  document.title = visible(`${update.title} – preview`);
  setText(byId("title"), update.title);
  setText(byId("status"), update.busy ? "running…" : "");
  showNotices(update);
  showTimeLine(update, labels, go);
  showMessages(update.messages, update.payload_type, send);
  const step = update.step ?? { effects: [], dropped: [], diff: [] };
  showEffects(step.effects, step.dropped, update.payload_type, answer);
  showChanges(step.diff);
  showShown(update);
  document.documentElement.dataset.version = String(update.version);
}

/** What is as it was is not drawn again. @param {any} update */
function showShown(update) {
  const known = new Set(update.messages.map((/** @type {{tag: string}} */ message) => message.tag));
  const view = update.shown?.view;
  const text = JSON.stringify([view, update.payload_type, [...known]]);
  if (text !== drawn) {
    drawn = text;
    const typed = (/** @type {string} */ value) => typedBy(value, update.payload_type);
    draw(byId("stage"), view ? [view] : [], { send, typed, known });
  }
  const outline = JSON.stringify(update.shown?.outline ?? null);
  if (outline !== outlined) {
    outlined = outline;
    showOutline(update.shown?.outline);
  }
}

/** What is typed into the application, as a payload of the declared type. @param {string} value @param {string | null} type */
function typedBy(value, type) {
  if (type === "Bool") return value === "true";
  if (type === "Int" && (value === "true" || value === "false")) return value === "true" ? 1 : 0;
  if ((type === "Int" || type === "Float") && value.trim() !== "" && Number.isFinite(Number(value))) return Number(value);
  return value;
}

/** @param {string} tag @param {unknown[]} payload */
function send(tag, ...payload) {
  act(payload.length ? { do: "send", tag, payload: payload[0] } : { do: "send", tag });
}

/** @param {number} effect @param {unknown[]} payload */
function answer(effect, ...payload) {
  act(payload.length ? { do: "answer", effect, payload: payload[0] } : { do: "answer", effect });
}

/** @type {any[]} */
const waiting = [];
let isSending = false;

/** One action at a time; of steps that were asked for meanwhile only the last is gone to. @param {any} action */
async function act(action) {
  if (action.do === "stop") return void transport.act(action).catch(lost);
  if (action.do === "go" && waiting.at(-1)?.do === "go") waiting.pop();
  waiting.push(action);
  if (isSending) return;
  isSending = true;
  try {
    while (waiting.length) await transport.act(waiting.shift());
  } catch (error) {
    waiting.length = 0;
    lost(error);
  } finally {
    isSending = false;
  }
}

/** @param {unknown} error */
function lost(error) {
  setText(byId("status"), error instanceof Error ? error.message : String(error));
}

/** @param {number} to */
const go = (to) => latest && act({ do: "go", to: Math.min(Math.max(to, 0), latest.length - 1) });

byId("first").onclick = () => go(0);
byId("back").onclick = () => go(latest.position - 1);
byId("forth").onclick = () => go(latest.position + 1);
byId("last").onclick = () => go(latest.length - 1);
byId("slider").oninput = () => go(Number(byId("slider").value));
byId("restart").onclick = () => act({ do: "restart" });
byId("replay").onclick = () => act({ do: "replay" });
byId("stop").onclick = () => act({ do: "stop" });
byId("other").onsubmit = (/** @type {Event} */ event) => {
  event.preventDefault();
  const tag = byId("other-tag").value;
  const payload = byId("other-payload").value;
  if (payload === "") send(tag);
  else send(tag, payloadOf(payload, latest?.payload_type ?? null));
};

const transport = TRANSPORTS[document.documentElement.dataset.transport ?? "http"](take, lost);
