// A drawing as the server sends it, made of what came: each read is [at_us, ...events] and each event
// ten bytes. An event is a text for lane 0, or {kind, gives: [[lane, text], …], marks: [[lane, kind], …]}.

const EVENT_BYTES = 10;

export function lane(choice = 0, kind = "content", more = {}) {
  return { choice, kind, tool_call: null, mode: "append", name: kind, ...more };
}

export function drawingOf(reads, { lanes = [lane()], clock = "recorded", ...more } = {}) {
  const tape = emptyTape(clock, lanes);
  const texts = lanes.map(() => "");
  for (const [at_us, ...events] of reads) {
    for (const event of events) addEvent(tape, texts, asEvent(event));
    if (at_us !== null) tape.reads.at_us.push(at_us);
    tape.reads.byte_end.push(tape.events.kind.length * EVENT_BYTES);
  }
  const drawn = lanes.map(({ name }, index) => ({
    name,
    text: texts[index],
    snapshots: null,
    href: null,
  }));
  return { tape, lanes: drawn, finishes: [], firsts: [], stalls: [], duration_us: null, ...more };
}

function emptyTape(clock, lanes) {
  return {
    clock,
    lanes,
    reads: { at_us: [], byte_end: [] },
    events: { byte_start: [], byte_end: [], kind: [] },
    marks: { event: [], lane: [], kind: [] },
    pieces: { event: [], lane: [], start_u16: [], length_u16: [] },
  };
}

function asEvent(event) {
  return typeof event === "string" ? { gives: [[0, event]] } : event;
}

function addEvent(
  { events, marks, pieces },
  texts,
  { kind = "chunk", gives = [], marks: set = [] },
) {
  const number = events.kind.length;
  events.byte_start.push(number * EVENT_BYTES);
  events.byte_end.push((number + 1) * EVENT_BYTES);
  events.kind.push(kind);
  for (const [of, text] of gives) {
    pieces.event.push(number);
    pieces.lane.push(of);
    pieces.start_u16.push(texts[of].length);
    pieces.length_u16.push(text.length);
    texts[of] += text;
  }
  for (const [of, mark] of set) {
    marks.event.push(number);
    marks.lane.push(of);
    marks.kind.push(mark);
  }
}
