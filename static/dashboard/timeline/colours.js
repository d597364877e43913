// The stylesheet's colours as the canvas needs them: resolved for the scheme that is in force.

const NAMES = [
  "paper", "ink", "ink-soft", "ink-faint", "rule", "rule-strong", "control-edge",
  "reasoning-ink", "reasoning-mark", "content-ink", "content-mark", "tool-ink", "tool-mark",
  "usage-ink", "usage-mark", "error-ink", "error-mark", "warning-ink", "warning-mark",
  "good-ink", "good-mark", "lit", "lit-edge", "lit-column",
];

const KINDS = {
  reasoning: "reasoning", content: "content", text: "content", refusal: "error",
  "tool-call": "tool", "function-call": "tool",
};

export function coloursOf(element) {
  const probe = element.appendChild(document.createElement("i"));
  const colours = {};
  for (const name of NAMES) {
    probe.style.color = `var(--${name})`;
    colours[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  colours.mark = (kind) => colours[`${KINDS[kind]}-mark`];
  colours.word = (kind) => colours[`${KINDS[kind]}-ink`];
  colours.font = getComputedStyle(element).fontFamily;
  return colours;
}
