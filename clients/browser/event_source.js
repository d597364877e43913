// An EventSource (WHATWG HTML, 9.2) whose bytes are captured: the browser's own shows none.

const DEFAULT_RETRY_MILLISECONDS = 3000;

/** The class for a `fetch` that records. @param {typeof globalThis.fetch} fetch */
export function eventSourceBy(fetch) {
  return class CapturedEventSource extends EventTarget {
    static CONNECTING = 0;
    static OPEN = 1;
    static CLOSED = 2;

    /** @param {string | URL} url @param {{withCredentials?: boolean}} [options] */
    constructor(url, { withCredentials = false } = {}) {
      super();
      this.url = new URL(url, location.href).href;
      this.withCredentials = withCredentials;
      this.readyState = 0;
      this.lastEventId = "";
      this.retry = DEFAULT_RETRY_MILLISECONDS;
      this.ending = new AbortController();
      this.onopen = this.onmessage = this.onerror = null;
      this.connect();
    }

    close() {
      this.readyState = 2;
      this.ending.abort();
    }

    async connect() {
      while (this.readyState !== 2) {
        const isRefused = await this.read().catch(() => false);
        if (this.readyState === 2) return;
        this.readyState = isRefused ? 2 : 0;
        this.tell(new Event("error"));
        await new Promise((resolve) => setTimeout(resolve, this.retry));
      }
    }

    /** One connection to its end; true where it is not to be made again. */
    async read() {
      const id = this.lastEventId;
      const response = await fetch(this.url, {
        headers: { accept: "text/event-stream", ...(id ? { "last-event-id": id } : {}) },
        credentials: this.withCredentials ? "include" : "same-origin",
        cache: "no-store",
        signal: this.ending.signal,
      });
      const type = response.headers.get("content-type") ?? "";
      if (response.status !== 200 || !/^text\/event-stream\b/i.test(type) || !response.body) {
        await response.body?.cancel();
        return true;
      }
      this.readyState = 1;
      this.tell(new Event("open"));
      await this.readLines(response.body.pipeThrough(new TextDecoderStream()));
      return false;
    }

    /** @param {ReadableStream<string>} texts */
    async readLines(texts) {
      let rest = "";
      const event = { type: "", data: "", id: this.lastEventId };
      const reader = texts.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        // A carriage return at the end may be half of a line end.
        const lines = (rest + value).split(/\r\n|\n|\r(?!$)/);
        rest = lines.pop() ?? "";
        for (const line of lines) this.take(line, event);
      }
    }

    /** @param {string} line @param {{type: string, data: string, id: string}} event */
    take(line, event) {
      if (line === "") {
        this.dispatch(event);
        Object.assign(event, { type: "", data: "" });
        return;
      }
      const [, name, value] = /^([^:]*)(?:: ?)?(.*)$/s.exec(line) ?? [];
      if (name === "data") event.data += `${value}\n`;
      else if (name === "event") event.type = value;
      else if (name === "id" && !value.includes("\0")) event.id = value;
      else if (name === "retry" && /^\d+$/.test(value)) this.retry = Number(value);
    }

    /** @param {{type: string, data: string, id: string}} event */
    dispatch({ type, data, id }) {
      this.lastEventId = id;
      if (data === "" || this.readyState === 2) return;
      const { origin } = new URL(this.url);
      const init = { data: data.slice(0, -1), lastEventId: id, origin };
      this.tell(new MessageEvent(type || "message", init));
    }

    /** @param {Event} event */
    tell(event) {
      this.dispatchEvent(event);
      /** @type {any} */ (this)[`on${event.type}`]?.(event);
    }
  };
}
