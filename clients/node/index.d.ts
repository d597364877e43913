export interface Counts {
  /** Calls to be captured that have begun: open + waiting + sent + spooled + dropped. */
  called: number;
  /** Their answer is still coming, or nobody has read it to its end or cancelled it. */
  open: number;
  /** Ended, and to be sent. */
  waiting: number;
  /** Stored, as the server said. */
  sent: number;
  /** Written to the folder `spool`, to be sent later, by this or another process. */
  spooled: number;
  /** Not captured, for the reasons in `droppedBecause`. */
  dropped: number;
  droppedBecause: Record<string, number>;
  /** Not in `called`: outside the sample, or calls that ask for no completion. */
  skipped: number;
  /** Not in `called`: sent from the folder `spool`, whoever wrote them there. */
  sentFromSpool: number;
}

export interface Options {
  /** Address of Response Inspector; else the variable `INSPECTOR_URL`. */
  url?: string;
  /** Key with the scope `ingest`; else the variable `INSPECTOR_KEY`. */
  key?: string;
  tags?: string[];
  metadata?: Record<string, unknown>;
  /** The share of calls to capture, from 0 to 1; else `INSPECTOR_SAMPLE`. */
  sample?: number;
  /** A folder for what the server does not take now; else `INSPECTOR_SPOOL`. */
  spool?: string;
  /** Also calls that ask for no completion, such as embeddings. */
  everything?: boolean;
}

/** Record what a client calls from now on, and return it. It has its `fetch` as a property, as those of
 * OpenAI and Anthropic have. */
export function capture<Client extends object>(client: Client, options?: Options): Client;
/** A `fetch` that records; to be given to what takes one. By default that of Node. */
export function capture(
  fetch?: typeof globalThis.fetch,
  options?: Options,
): typeof globalThis.fetch;

/** Calls that begin inside `run`, however deep, have these tags and metadata. */
export function tagged<Result>(
  labels: { tags?: string[] } & Record<string, unknown>,
  run: () => Result,
): Result;

/** What became of the calls of this process. */
export function counts(): Counts;

/** Resolves when everything that has ended is sent, spooled or dropped; to false where some of it
 * still waits after `milliseconds`. */
export function flush(milliseconds?: number): Promise<boolean>;
