// Ages on a page that stays open, by the rule of the `age` filter in formats.py.

const UNITS = [[60, 1, "s"], [3600, 60, "m"], [86400, 3600, "h"], [Infinity, 86400, "d"]];

export function age(then, now) {
  const past = Math.floor((now - then) / 1000);
  if (past < 2) return "now";
  const [, length, unit] = UNITS.find(([limit]) => past < limit);
  return `${Math.floor(past / length)} ${unit}`;
}

export function refresh(root) {
  const now = Date.now();
  for (const time of root.querySelectorAll(".age time")) {
    const words = age(Date.parse(time.dateTime), now);
    if (time.textContent !== words) time.textContent = words;
  }
}
