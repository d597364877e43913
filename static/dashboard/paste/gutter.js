// Numbers beside the lines of a text box, and a wash behind the lines that findings point at.

const LINE_PX = 18;
const MAX_LINES = 20_000;

export class Gutter {
  /** @param {HTMLTextAreaElement} box @param {HTMLElement} place */
  constructor(box, place) {
    this.box = box;
    this.place = place;
    this.numbers = place.appendChild(document.createElement("pre"));
    const washes = document.createElement("div");
    washes.className = "washes";
    this.washes = washes.appendChild(document.createElement("div"));
    box.before(washes);
    this.lines = 0;
    box.addEventListener("scroll", () => this.follow(), { passive: true });
  }

  draw() {
    const lines = this.box.value.split("\n").length;
    this.place.hidden = lines > MAX_LINES;
    if (lines !== this.lines && lines <= MAX_LINES) {
      this.numbers.textContent = Array.from({ length: lines }, (_, n) => n + 1).join("\n");
      this.lines = lines;
    }
    this.follow();
  }

  // Marks are like "17:warning 19:error".
  /** @type {(words: string) => void} */
  mark(words) {
    const top = parseFloat(getComputedStyle(this.box).paddingTop);
    const washes = words
      .split(" ")
      .filter(Boolean)
      .map((word) => {
        const [line, severity] = word.split(":");
        const wash = document.createElement("div");
        wash.className = `wash ${severity}`;
        wash.style.top = `${top + (Number(line) - 1) * LINE_PX}px`;
        return wash;
      });
    this.washes.replaceChildren(...washes);
  }

  follow() {
    const shift = `translateY(${-this.box.scrollTop}px)`;
    this.numbers.style.transform = shift;
    this.washes.style.transform = shift;
  }

  // Selects a line, so that it is seen and can be edited at once.
  /** @type {(number: number) => void} */
  select(number) {
    const lines = this.box.value.split("\n");
    const start = lines.slice(0, number - 1).reduce((at, line) => at + line.length + 1, 0);
    this.box.focus({ preventScroll: true });
    this.box.setSelectionRange(start, start + (lines[number - 1] ?? "").length);
    this.box.scrollTop = (number - 1) * LINE_PX - this.box.clientHeight / 3;
    this.box.scrollLeft = 0;
    this.box.scrollIntoView({ block: "nearest" });
  }
}
