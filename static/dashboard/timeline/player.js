// Buttons under the drawing, and replay. Replay moves the scrubber and nothing else.

const SPEEDS = [0.25, 1, 4, 16];
const EVENTS_PER_SECOND = 20;
const STEP_MS = 120;

const still = matchMedia("(prefers-reduced-motion: reduce)");

export function playerOf(model, timeline) {
  const box = document.createElement("div");
  box.className = "player";
  const play = button("Replay", "play main", () => (running ? stop() : start()));
  const speeds = document.createElement("span");
  speeds.className = "choose";
  speeds.setAttribute("role", "group");
  speeds.setAttribute("aria-label", "Speed");
  for (const each of SPEEDS) speeds.append(speedButton(each));
  const output = document.createElement("output");
  const words = document.createElement("span");
  words.className = "legend-words";
  for (const text of ["height: characters", ...(model.timed ? ["×n: one read brought n chunks"] : [])]) {
    words.append(Object.assign(document.createElement("span"), { textContent: text }));
  }
  box.append(play, speeds, output,
    button("‹ chunk", "quiet", () => timeline.step(-1)), button("chunk ›", "quiet", () => timeline.step(1)));
  if (model.timed && model.drawing.stalls.length) {
    box.append(button("‹ stall", "quiet", () => timeline.stall(-1)), button("stall ›", "quiet", () => timeline.stall(1)));
  }
  box.append(words);

  let running = 0;
  let speed = 1;
  let before = 0;
  setSpeed(1);

  return { box, output, toggle: () => play.click(), stop };

  function button(text, className, act) {
    const made = document.createElement("button");
    made.textContent = text;
    made.className = className;
    made.addEventListener("click", act);
    return made;
  }

  function speedButton(each) {
    const made = button(`${each}×`, "", () => setSpeed(each));
    made.dataset.speed = each;
    return made;
  }

  function setSpeed(chosen) {
    speed = chosen;
    for (const each of speeds.children) each.setAttribute("aria-pressed", String(Number(each.dataset.speed) === chosen));
  }

  function start() {
    if (timeline.moment() === null || timeline.moment() >= model.end) timeline.move(0);
    play.textContent = "Pause";
    before = performance.now();
    running = still.matches ? setInterval(hop, STEP_MS / speed) : requestAnimationFrame(run);
  }

  function stop() {
    if (!running) return;
    if (still.matches) clearInterval(running);
    else cancelAnimationFrame(running);
    running = 0;
    play.textContent = "Replay";
  }

  // Without motion the scrubber goes from chunk to chunk.
  function hop() {
    if (!timeline.step(1)) stop();
  }

  function run(now) {
    const passed = ((now - before) / 1000) * speed * (model.timed ? 1e6 : EVENTS_PER_SECOND);
    before = now;
    const moment = Math.min(timeline.moment() + passed, model.end);
    timeline.move(moment);
    if (moment >= model.end) stop();
    else running = requestAnimationFrame(run);
  }
}
