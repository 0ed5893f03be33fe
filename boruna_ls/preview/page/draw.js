// Draws what `view` gives: a table of kinds of nodes, each a plain element of HTML. Nothing of a program becomes an attribute
// other than text, and no address is ever loaded.

/** @typedef {{tag: string, props: Record<string, any>, children: DrawnNode[]}} DrawnNode */
/** @typedef {{send: (tag: string, payload?: unknown) => void, typed: (text: string) => unknown, known: Set<string>}} Host */

const SHOWN_BY = ["text", "label", "title", "heading", "message", "content", "value", "name"];
const ON_CLICK = ["on_click", "on_press", "on_tap", "on_submit", "action", "msg"];
const ON_CHANGE = ["on_change", "on_input", "on_select", "on_toggle", "msg"];
const LAYOUT = new Set(["div", "row", "column", "stack", "container", "list", "group", "page", "main", "box", "body"]);
const TITLED = new Set(["card", "section", "panel", "form", "dialog"]);

/** Which kind of element a tag is drawn as; every other tag is a box that shows its name. */
const KINDS = {
  text: "text", p: "text", paragraph: "text", label: "text", span: "text", raw: "text", code: "code", pre: "code",
  heading: "heading", h1: "heading", h2: "heading", h3: "heading", title: "heading",
  button: "button", link: "button", a: "button",
  input: "input", text_input: "input", textfield: "input", textarea: "input",
  checkbox: "checkbox", toggle: "checkbox", switch: "checkbox", select: "select", dropdown: "select",
  table: "table", error: "error", alert: "error", badge: "badge", tag: "badge",
  divider: "divider", hr: "divider", spacer: "divider", empty: "empty", none: "empty", "left-out": "left-out",
};

/**
 * @param {DrawnNode} node
 * @returns {string}
 */
function kindOf(node) {
  if (Object.hasOwn(KINDS, node.tag) && (KINDS[node.tag] !== "text" || !node.children.length)) return KINDS[node.tag];
  return LAYOUT.has(node.tag) ? `layout ${node.tag}` : `box ${node.tag}`;
}

/**
 * The first of some properties that a node has.
 * @param {DrawnNode} node
 * @param {string[]} names
 */
function property(node, names) {
  const name = names.find((each) => Object.hasOwn(node.props, each) && node.props[each] !== null && node.props[each] !== "");
  return name === undefined ? undefined : node.props[name];
}

/** @param {DrawnNode} node @param {string[]} names @returns {string | undefined} the tag of the message that a node sends */
function handler(node, names) {
  const tag = property(node, names);
  return typeof tag === "string" ? tag : undefined;
}

/** @type {Record<string, {make: (node: DrawnNode) => HTMLElement, update: (element: any, node: DrawnNode, host: Host) => void}>} */
const DRAWERS = {
  text: { make: () => made("p", "text"), update: (element, node) => setText(element, property(node, SHOWN_BY) ?? "") },
  code: { make: () => made("pre"), update: (element, node) => setText(element, property(node, SHOWN_BY) ?? "") },
  heading: { make: () => made("h3"), update: (element, node) => setText(element, property(node, SHOWN_BY) ?? "") },
  badge: { make: () => made("span", "badge"), update: (element, node) => setText(element, property(node, SHOWN_BY) ?? "") },
  error: {
    make: () => { const element = made("p", "error"); element.setAttribute("role", "alert"); return element; },
    update: (element, node) => setText(element, property(node, SHOWN_BY) ?? ""),
  },
  "left-out": { make: () => made("p", "left-out"), update: (element, node) => setText(element, node.props.text) },
  divider: { make: () => made("hr"), update: () => {} },
  empty: { make: () => { const element = made("span"); element.hidden = true; return element; }, update: () => {} },
  button: { make: () => made("button"), update: updateButton },
  input: { make: makeInput, update: updateInput },
  checkbox: { make: makeCheckbox, update: updateCheckbox },
  select: { make: makeSelect, update: updateSelect },
  table: { make: () => made("table"), update: updateTable },
  layout: { make: (node) => made("div", `layout ${TITLED.has(node.tag) ? "" : node.tag}`), update: updateLayout },
  box: { make: makeBox, update: updateBox },
};

/**
 * Draws nodes into an element.
 * @param {Element} parent
 * @param {DrawnNode[]} nodes
 * @param {Host} host
 */
function draw(parent, nodes, host) {
  const drawer = (/** @type {DrawnNode} */ node) => DRAWERS[kindOf(node).split(" ")[0]];
  arrange(parent, nodes, kindOf, (node) => drawer(node).make(node), (element, node) => drawer(node).update(element, node, host));
}

/** @param {HTMLButtonElement} element @param {DrawnNode} node @param {Host} host */
function updateButton(element, node, host) {
  const label = String(property(node, SHOWN_BY) ?? "");
  setText(element, label || node.tag);
  const guess = [label, label.toLowerCase().replace(/[^a-z0-9]+/g, "_")].find((tag) => host.known.has(tag));
  const tag = handler(node, ON_CLICK) ?? guess;
  element.type = "button";
  element.disabled = tag === undefined || node.props.disabled === true || node.props.disabled === 1;
  element.title = tag === undefined ? "sends no message: give the node a field on_click" : visible(`sends ${tag}`);
  element.onclick = tag === undefined ? null : () => host.send(tag, ...("payload" in node.props ? [node.props.payload] : []));
}

function makeInput() {
  const element = made("label", "field");
  element.append(made("span"), document.createElement("input"));
  return element;
}

/** @param {HTMLElement} element @param {DrawnNode} node @param {Host} host */
function updateInput(element, node, host) {
  const input = /** @type {HTMLInputElement} */ (element.lastElementChild);
  const tag = handler(node, ON_CHANGE);
  setText(element.firstElementChild, property(node, ["label", "name", "title", "text", "placeholder"]) ?? "input");
  const kind = String(node.props.type ?? "");
  input.type = ["number", "password", "email", "date", "range"].includes(kind) ? kind : "text";
  input.placeholder = visible(node.props.placeholder ?? "");
  const value = Object.hasOwn(node.props, "value") ? visible(node.props.value ?? "") : undefined;
  if (value !== undefined && input.dataset.value !== value && document.activeElement !== input) input.value = value;
  if (value !== undefined) input.dataset.value = value;
  input.disabled = tag === undefined;
  const send = () => tag !== undefined && host.send(tag, host.typed(input.value));
  input.onchange = Object.hasOwn(node.props, "on_input") ? null : send;
  input.oninput = Object.hasOwn(node.props, "on_input") ? send : null;
}

function makeCheckbox() {
  const element = made("label", "field tick");
  const input = document.createElement("input");
  input.type = "checkbox";
  element.append(input, made("span"));
  return element;
}

/** @param {HTMLElement} element @param {DrawnNode} node @param {Host} host */
function updateCheckbox(element, node, host) {
  const input = /** @type {HTMLInputElement} */ (element.firstElementChild);
  const tag = handler(node, ON_CHANGE);
  setText(element.lastElementChild, property(node, ["label", "text", "name", "title"]) ?? "");
  input.checked = [true, 1, "true", "1"].includes(property(node, ["checked", "value", "on"]));
  input.disabled = tag === undefined;
  input.onchange = () => tag !== undefined && host.send(tag, host.typed(input.checked ? "true" : "false"));
}

function makeSelect() {
  const element = made("label", "field");
  element.append(made("span"), document.createElement("select"));
  return element;
}

/** @param {HTMLElement} element @param {DrawnNode} node @param {Host} host */
function updateSelect(element, node, host) {
  const select = /** @type {HTMLSelectElement} */ (element.lastElementChild);
  const tag = handler(node, ON_CHANGE);
  setText(element.firstElementChild, property(node, ["label", "name", "title", "text"]) ?? "");
  const listed = node.props.options ?? node.props.items ?? [];
  const options = Array.isArray(listed) ? listed : String(listed).split(",").map((option) => option.trim());
  arrange(select, options, () => "option", () => document.createElement("option"), (option, value) => {
    setText(option, value);
    option.value = String(value);
  });
  select.value = String(property(node, ["selected", "value"]) ?? "");
  select.disabled = tag === undefined;
  select.onchange = () => tag !== undefined && host.send(tag, host.typed(select.value));
}

/** @param {HTMLTableElement} element @param {DrawnNode} node @param {Host} host */
function updateTable(element, node, host) {
  const named = node.props.headers ?? node.props.columns ?? property(node, SHOWN_BY) ?? "";
  const headers = Array.isArray(named) ? named : String(named).split(",").map((title) => title.trim());
  const head = element.tHead ?? element.createTHead();
  const body = element.tBodies[0] ?? element.createTBody();
  const row = head.rows[0] ?? head.insertRow();
  const headerCell = () => { const cell = made("th"); cell.setAttribute("scope", "col"); return cell; };
  arrange(row, headers, () => "th", headerCell, (cell, title) => setText(cell, title));
  arrange(body, node.children, () => "tr", () => made("tr"), (line, child) => {
    const cells = child.children.length ? child.children : Object.values(child.props).map(asText);
    arrange(line, cells, () => "td", () => made("td"), (cell, one) => draw(cell, [one], host));
  });
}

/** @param {unknown} text @returns {DrawnNode} */
const asText = (text) => ({ tag: "text", props: { text }, children: [] });

/** @param {HTMLElement} element @param {DrawnNode} node @param {Host} host */
function updateLayout(element, node, host) {
  const text = property(node, SHOWN_BY);
  draw(element, text === undefined ? node.children : [asText(Array.isArray(text) ? text.join(", ") : text), ...node.children], host);
}

/** @param {DrawnNode} node */
function makeBox(node) {
  const element = made("section", "box");
  element.append(made(TITLED.has(node.tag) ? "h3" : "p", "caption"), made("div", "inside"), made("dl"));
  return element;
}

/** @param {HTMLElement} element @param {DrawnNode} node @param {Host} host */
function updateBox(element, node, host) {
  const [caption, inside, list] = element.children;
  const titled = TITLED.has(node.tag);
  const text = property(node, SHOWN_BY);
  setText(caption, titled ? (text ?? "") : node.tag);
  element.setAttribute("aria-label", visible(node.tag));
  element.setAttribute("role", "group");
  draw(inside, titled || text === undefined ? node.children : [asText(text), ...node.children], host);
  const shown = SHOWN_BY.find((name) => node.props[name] === text);
  const others = Object.entries(node.props).filter(([name, value]) => name !== shown && value !== "" && !name.startsWith("on_"));
  arrange(list, others.flatMap(([name, value]) => [["dt", name], ["dd", value]]), (pair) => String(pair[0]),
    (pair) => made(String(pair[0])), (part, pair) => setText(part, pair[1]));
  const tag = handler(node, ON_CLICK.slice(0, 3));
  element.onclick = tag === undefined ? null : () => host.send(tag);
}
