// Texts of programs: the only way from them to the page is `setText`, which makes plain text and nothing else.

/** Characters that are not seen or change the order of others: controls, bidirectional marks, invisible ones, lone surrogates. */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]|\p{Surrogate}/gu;

/**
 * A text with what is hidden in it shown as an escape.
 * @param {unknown} text
 * @returns {string}
 */
function visible(text) {
  return String(text).replace(HIDDEN, (character) => `\\u{${character.codePointAt(0).toString(16)}}`);
}

/**
 * Shows a text in an element.
 * @param {Element} element
 * @param {unknown} text
 */
function setText(element, text) {
  const shown = visible(text);
  if (element.textContent !== shown) element.textContent = shown;
}

/**
 * A new element with a class and a text.
 * @param {string} name
 * @param {string} [className]
 * @param {unknown} [text]
 * @returns {HTMLElement}
 */
function made(name, className = "", text = undefined) {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text !== undefined) setText(element, text);
  return element;
}

/**
 * Makes the children of an element be so many, each as `make` and `update` have it; those that are there already are kept, so
 * that a focus and what is half typed survive.
 * @template T
 * @param {Element} parent
 * @param {T[]} items
 * @param {(item: T) => string} kindOf
 * @param {(item: T) => Element} make
 * @param {(element: any, item: T, index: number) => void} update
 */
function arrange(parent, items, kindOf, make, update) {
  items.forEach((item, index) => {
    const kind = kindOf(item);
    let element = parent.children[index];
    if (!element || element.getAttribute("data-kind") !== kind) {
      const fresh = make(item);
      fresh.setAttribute("data-kind", kind);
      if (element) element.replaceWith(fresh);
      else parent.append(fresh);
      element = fresh;
    }
    update(element, item, index);
  });
  while (parent.children.length > items.length) parent.lastElementChild.remove();
}
