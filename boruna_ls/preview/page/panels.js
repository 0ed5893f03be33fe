// What stands beside the application: messages, effects, state, changes, the time line.

/** @param {string} id @returns {any} */
const byId = (id) => document.getElementById(id);

/**
 * What a person typed, as a payload: a text where payloads are texts, else JSON, and a text if it is none.
 * @param {string} text
 * @param {string | null} type
 */
function payloadOf(text, type) {
  if (type === "String") return text;
  if (text === "" && type === null) return 0;
  // A whole number beyond what JavaScript counts exactly would arrive as another one.
  if (/^[+-]?\d+$/.test(text.trim())) return Number.isSafeInteger(Number(text)) ? Number(text) : text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * The messages that the program takes: a button each, with a field for the payload of those that read it.
 * @param {{tag: string, payload: boolean}[]} messages
 * @param {string | null} type
 * @param {(tag: string, payload?: unknown) => void} send
 */
function showMessages(messages, type, send) {
  const make = (/** @type {{payload: boolean}} */ message) => {
    const form = made("form", "message");
    form.append(made("button"));
    if (message.payload) form.append(document.createElement("input"));
    return form;
  };
  const update = (/** @type {HTMLFormElement} */ form, /** @type {{tag: string, payload: boolean}} */ message) => {
    const input = form.querySelector("input");
    setText(form.querySelector("button"), message.tag);
    if (input) {
      input.setAttribute("aria-label", visible(`payload of ${message.tag}`));
      input.placeholder = type ?? "payload";
      input.autocomplete = "off";
    }
    form.onsubmit = (event) => {
      event.preventDefault();
      if (input && (input.value !== "" || type === "String")) send(message.tag, payloadOf(input.value, type));
      else send(message.tag);
    };
  };
  arrange(byId("messages"), messages, (message) => (message.payload ? "with" : "without"), make, update);
}

/**
 * The effects of the step that is shown, with ways to answer them.
 * @param {any[]} effects
 * @param {{value: string, reason: string}[]} dropped
 * @param {string | null} type
 * @param {(effect: number, payload?: unknown) => void} answer
 */
function showEffects(effects, dropped, type, answer) {
  const rows = [...effects, ...dropped];
  const make = () => {
    const row = made("div", "effect");
    const form = made("form", "message");
    form.append(made("button", "mock"), made("input"), made("button", "", "Answer"));
    row.append(made("strong"), made("code"), made("span", "callback"), form);
    return row;
  };
  const update = (/** @type {HTMLElement} */ row, /** @type {any} */ effect, /** @type {number} */ index) => {
    const [kind, payload, callback, form] = /** @type {any} */ (row.children);
    const [mock, input] = form.children;
    const isDropped = "reason" in effect;
    setText(kind, isDropped ? "dropped" : effect.kind);
    setText(payload, isDropped ? effect.value : effect.payload);
    setText(callback, isDropped ? effect.reason : effect.callback_tag && `→ ${effect.callback_tag}`);
    form.hidden = !effect.can_answer;
    if (form.hidden) return;
    mock.type = "button";
    mock.disabled = !("mock" in effect);
    setText(mock, `Mock: ${effect.mock_text}`);
    mock.onclick = () => answer(index);
    input.setAttribute("aria-label", visible(`answer of ${effect.kind}`));
    input.placeholder = "by hand";
    form.onsubmit = (/** @type {Event} */ event) => {
      event.preventDefault();
      answer(index, payloadOf(input.value, type));
    };
  };
  arrange(byId("effects"), rows, () => "effect", make, update);
  if (!rows.length) byId("effects").replaceChildren(made("p", "nothing", "none"));
}

/** By path, whether a part of the state was unfolded by hand. */
const unfolded = new Map();

/**
 * The state, to be unfolded.
 * @param {any} line
 */
function showOutline(line) {
  byId("outline").replaceChildren(...(line ? [outlineOf(line, "", 0)] : []));
}

/** @param {any} line @param {string} path @param {number} depth @returns {HTMLElement} */
function outlineOf(line, path, depth) {
  const here = `${path}/${line.name}`;
  const title = made(line.parts ? "summary" : "div", "line");
  title.append(made("span", "name", line.name), " ", made("code", "", line.text));
  if (!line.parts) return title;
  const element = /** @type {HTMLDetailsElement} */ (made("details"));
  const fill = () => element.append(...line.parts.map((/** @type {any} */ part) => outlineOf(part, here, depth + 1)));
  element.append(title);
  element.open = unfolded.get(here) ?? depth < 1;
  if (element.open) fill();
  element.ontoggle = () => {
    unfolded.set(here, element.open);
    if (element.open && element.children.length === 1) fill();
  };
  return element;
}

/** @param {{path: string, old?: string, new?: string}[]} changes */
function showChanges(changes) {
  arrange(byId("changes"), changes, () => "li", () => {
    const row = made("li");
    row.append(made("span", "name"), " ", made("del"), " ", made("ins"));
    return row;
  }, (row, change) => {
    setText(row.children[0], change.path || "state");
    setText(row.children[1], change.old ?? "");
    setText(row.children[2], change.new ?? "");
  });
  if (!changes.length) byId("changes").replaceChildren(made("li", "nothing", "none"));
}

/** Steps before and behind the one that is shown whose names are listed. */
const AROUND = 50;

/** @param {any} update @param {string[]} labels @param {(to: number) => void} go */
function showTimeLine(update, labels, go) {
  const slider = byId("slider");
  slider.max = String(Math.max(update.length - 1, 0));
  if (document.activeElement !== slider || !slider.matches(":active")) slider.value = String(update.position);
  byId("first").disabled = byId("back").disabled = update.position <= 0;
  byId("last").disabled = byId("forth").disabled = update.position >= update.length - 1;
  setText(byId("where"), update.length ? `${update.position} of ${update.length - 1}: ${labels[update.position] ?? ""}` : "");
  byId("replay").disabled = !update.can_replay;
  byId("stop").disabled = !update.busy;
  const first = Math.max(0, update.position - AROUND);
  const list = byId("steps");
  list.start = first;
  const make = () => {
    const item = made("li");
    item.append(made("button"));
    return item;
  };
  arrange(list, labels.slice(first, update.position + AROUND + 1), () => "step", make, (item, label, index) => {
    const button = item.firstElementChild;
    setText(button, label);
    button.onclick = () => go(first + index);
    if (first + index !== update.position) button.removeAttribute("aria-current");
    else if (button.getAttribute("aria-current") !== "step" || list.dataset.shown !== String(update.position)) {
      button.setAttribute("aria-current", "step");
      // Along the list only: `scrollIntoView` would move the page, too.
      list.scrollLeft = item.offsetLeft - list.offsetLeft - (list.clientWidth - item.offsetWidth) / 2;
    }
  });
  list.dataset.shown = String(update.position);
}

/** @param {any} update */
function showNotices(update) {
  const problems = byId("problems");
  problems.hidden = !update.problems.length;
  const place = (/** @type {any} */ problem) => (problem.line ? `line ${problem.line}: ` : "");
  const about = problems.hidden ? [] : ["The program does not compile; this is the last version that did.", ...update.problems];
  arrange(problems, about, () => "p", () => made("p"), (line, one) =>
    setText(line, typeof one === "string" ? one : `${place(one)}${one.message}`));
  const failure = update.failure;
  byId("failure").hidden = !failure;
  if (failure) {
    const where = failure.line ? ` (${failure.function ?? ""} line ${failure.line})` : "";
    setText(byId("failure"), `${failure.said ? `${failure.said}: ` : ""}${failure.message}${where}${failure.hint ? `\n${failure.hint}` : ""}`);
  }
  byId("note").hidden = !update.note;
  setText(byId("note"), update.note);
}
