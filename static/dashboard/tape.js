// What the timeline is drawn from, fetched once per address for everybody on the page who asks.

const asked = new Map();

// A promise of the timeline's JSON; one that failed is asked for again.
export function drawingAt(address) {
  if (!asked.has(address)) {
    const answer = fetched(address);
    asked.set(address, answer);
    answer.catch(() => asked.delete(address));
  }
  return asked.get(address);
}

async function fetched(address) {
  const response = await fetch(address, { headers: { Accept: "application/json" } });
  if (!response.ok) throw new Error(`${address} answered ${response.status}`);
  return response.json();
}

// Pieces that a player takes in one task: a page stays awake while it takes many.
const PIECES_AT_ONCE = 10_000;

// Lets the page do what else there is to do.
export function turn() {
  return new Promise((done) => { setTimeout(done); });
}

// Fills a player in turns.
export async function fill(player, { pieces, texts, ...columns }) {
  player.append(columns);
  for (let from = 0; from < pieces.event.length; from += PIECES_AT_ONCE) {
    await turn();
    const slice = Object.entries(pieces).map(([name, list]) => [name, list.slice(from, from + PIECES_AT_ONCE)]);
    player.append({ pieces: Object.fromEntries(slice) });
  }
  player.append({ texts });
}

// What a player takes of it.
export function columnsOf({ tape, lanes, stalls, duration_us }) {
  return {
    ...tape,
    lanes: tape.lanes.map((lane, index) => ({ ...lane, name: lanes[index].name, href: lanes[index].href })),
    texts: lanes.map((lane, index) => [index, lane.snapshots ?? lane.text]),
    stalls,
    duration_us,
  };
}
