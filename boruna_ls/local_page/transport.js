// Ways to the server: over HTTP in a browser, through the editor's webview, through the host of an MCP App.

/** @typedef {{act: (action: any) => Promise<void>}} Transport */

/** @type {Record<string, (show: (update: any) => void, lost: (error: unknown) => void) => Transport>} */
const TRANSPORTS = {
  http(show, lost) {
    const events = new EventSource("events");
    events.onmessage = (event) => show(JSON.parse(event.data));
    events.onerror = () => lost("the connection is lost: waiting for it to come back");
    return {
      async act(action) {
        const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(action) };
        const response = await fetch("act", options);
        if (!response.ok) throw new Error(await response.text());
      },
    };
  },

  vscode(show) {
    // @ts-ignore: the webview of VS Code has it
    const editor = acquireVsCodeApi();
    window.addEventListener("message", (event) => event.data?.update && show(event.data.update));
    editor.postMessage({ ready: true });
    return { act: async (action) => editor.postMessage({ action }) };
  },

  mcp(show, lost) {
    let preview = "";
    let last = 0;
    /** @type {Map<number, {resolve: (value: any) => void, reject: (error: Error) => void}>} */
    const asked = new Map();
    const post = (/** @type {any} */ message) => window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
    const ask = (/** @type {string} */ method, /** @type {any} */ params) =>
      new Promise((resolve, reject) => {
        asked.set(++last, { resolve, reject });
        post({ id: last, method, params });
      });
    const taken = (/** @type {any} */ result) => {
      const answer = result?.structuredContent ?? JSON.parse(result?.content?.[0]?.text ?? "{}");
      if (answer.update) {
        preview = answer.preview;
        show(answer.update);
      } else lost(answer.message ?? "the server gives no preview");
    };
    window.addEventListener("message", (event) => {
      const message = event.data;
      if (event.source !== window.parent || message?.jsonrpc !== "2.0") return;
      const waiting = asked.get(message.id);
      if (waiting && !message.method) {
        asked.delete(message.id);
        if (message.error) waiting.reject(new Error(message.error.message));
        else waiting.resolve(message.result);
      } else if (message.method === "ui/notifications/tool-result") taken(message.params);
      else if (message.method === "ping" || message.method === "ui/resource-teardown") post({ id: message.id, result: {} });
    });
    const act = async (/** @type {any} */ action) => {
      if (preview) taken(await ask("tools/call", { name: "boruna_preview", arguments: { preview, action } }));
    };
    const hello = { appInfo: { name: "boruna-preview", version: "1" }, appCapabilities: {}, protocolVersion: "2026-01-26" };
    ask("ui/initialize", hello).then(() => post({ method: "ui/notifications/initialized" }), lost);
    // The host tells of no edits: the page looks for itself while somebody sees it.
    setInterval(() => document.visibilityState === "visible" && act({ do: "look" }).catch(lost), 2000);
    return { act };
  },
};
