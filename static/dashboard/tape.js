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
