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
    let version = -1;
    let last = 0;
    /** @type {Map<number, {resolve: (value: any) => void, reject: (error: Error) => void}>} */
    const asked = new Map();
    const post = (/** @type {any} */ message) => window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
    const ask = (/** @type {string} */ method, /** @type {any} */ params) =>
      new Promise((resolve, reject) => {
        asked.set(++last, { resolve, reject });
        post({ id: last, method, params });
      });
    const answerOf = (/** @type {any} */ result) => result?.structuredContent ?? JSON.parse(result?.content?.[0]?.text ?? "{}");
    const taken = (/** @type {any} */ answer) => {
      if (answer.update) {
        const begins = preview === "";
        preview = answer.preview;
        version = answer.update.version;
        if (begins) follow();
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
      } else if (message.method === "ui/notifications/tool-result") taken(answerOf(message.params));
      else if (message.method === "ping" || message.method === "ui/resource-teardown") post({ id: message.id, result: {} });
    });
    const call = async (/** @type {any} */ action) =>
      answerOf(await ask("tools/call", { name: "boruna_preview", arguments: { preview, action } }));
    let unanswered = 0;
    const act = async (/** @type {any} */ action) => {
      if (!preview) return;
      unanswered++;
      try {
        taken(await call(action));
      } finally {
        unanswered--;
      }
    };
    const hello = { appInfo: { name: "boruna-preview", version: "1" }, appCapabilities: {}, protocolVersion: "2026-01-26" };
    ask("ui/initialize", hello).then(() => post({ method: "ui/notifications/initialized" }), lost);
    const seen = () =>
      new Promise((resolve) => {
        if (document.visibilityState === "visible") resolve(null);
        else document.addEventListener("visibilitychange", () => resolve(seen()), { once: true });
      });
    const pause = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));
    // The host tells of no edits: while somebody sees the page, a call waits at the server for the next one. Where the host
    // carries one call at a time, an action would wait behind it: there the page looks from time to time.
    const follow = async () => {
      for (let isOneByOne = false; ; ) {
        await seen();
        try {
          const since = version;
          if (isOneByOne) await pause(2000).then(() => act({ do: "look" }));
          else {
            const { update, message } = await call({ do: "wait", since });
            if (!update) return lost(message ?? "the preview is over");
            if (update.version !== version) await act({ do: "look" });
            else isOneByOne = unanswered > 0 && version === since;
          }
        } catch (error) {
          lost(error);
          await pause(5000);
        }
      }
    };
    return { act };
  },
};
