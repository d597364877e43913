// Where everything stands from top to bottom: flags, axis, lanes, stream, reads, sums, ticks.

const LANE = 26;
const STREAM = 20;
const READS = 24;
const BETWEEN = 10;
const FLAG = 15;
const SUMS = 64;

export function layoutOf(model, narrow) {
  const flagRows = Math.min(flagsOf(model).length, narrow ? 5 : 3);
  const stalled = model.drawing.stalls.length && model.timed;
  const axis = Math.max(flagRows * FLAG, stalled ? FLAG : 0) + 18;
  const rows = [];
  let y = axis + BETWEEN;
  let group = null;
  for (const lane of model.lanes) {
    const name = `choice ${lane.choice}`;
    if (group !== null && group !== name) y += BETWEEN;
    rows.push({ lane, group: group === name ? "" : name, top: y, height: LANE, base: y + LANE - 3 });
    group = name;
    y += LANE;
  }
  const stream = model.stream.length ? rowAt(STREAM) : null;
  const reads = model.timed && model.tape.reads.at_us.length ? rowAt(READS) : null;
  const lanesEnd = y;
  const sums = model.sums.length ? { top: y + 16, height: SUMS, base: y + 16 + SUMS } : null;
  const bottom = sums ? sums.base : lanesEnd + 4;
  return { axis, flagRows, rows, stream, reads, lanesEnd, sums, bottom, height: bottom + 22 };

  function rowAt(height) {
    if (rows.length || y > axis + BETWEEN) y += BETWEEN;
    const row = { top: y, height, base: y + height - 3 };
    y += height;
    return row;
  }
}

// First-times; equal ones share a flag.
export function flagsOf(model) {
  if (!model.timed) return [];
  const flags = [];
  for (const [name, kind, at] of model.drawing.firsts) {
    const same = flags.find((flag) => flag.at === at);
    if (same) {
      same.name += `, ${name}`;
      same.kind = same.kind || kind;
    } else {
      flags.push({ name, kind, at });
    }
  }
  return flags.sort((a, b) => a.at - b.at);
}
