// Server-sent events out of the bytes of an answer, by https://html.spec.whatwg.org/#parsing-an-event-stream.

/** @typedef {{ name: string, data: string }} StreamEvent */

export class EventSplitter {
  constructor() {
    this.rest = "";
    this.name = "";
    /** @type {string[]} */
    this.data = [];
    this.endsInCr = false;
  }

  // The events that a piece of the text completes.
  /** @type {(text: string) => StreamEvent[]} */
  push(text) {
    // Of a CRLF that is cut in two the LF ends no other line.
    const from = this.endsInCr && text.startsWith("\n") ? 1 : 0;
    if (text) this.endsInCr = text.endsWith("\r");
    const lines = (this.rest + text.slice(from)).split(/\r\n|\n|\r/);
    this.rest = lines.pop() ?? "";
    return lines.flatMap((line) => this.take(line));
  }

  /** @type {(line: string) => StreamEvent[]} */
  take(line) {
    if (line === "") return this.dispatch();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.name = value;
    if (field === "data") this.data.push(value);
    return [];
  }

  dispatch() {
    const { name, data } = this;
    this.name = "";
    this.data = [];
    return data.length ? [{ name: name || "message", data: data.join("\n") }] : [];
  }
}

// `heard` is called with every piece that comes, comments too.
/** @type {(body: ReadableStream<Uint8Array>, heard: () => void) => AsyncGenerator<StreamEvent>} */
export async function* eventsOf(body, heard) {
  const [reader, decoder, splitter] = [body.getReader(), new TextDecoder(), new EventSplitter()];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard();
      yield* splitter.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
