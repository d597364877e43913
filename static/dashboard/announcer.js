// Tells a screen reader at most one sentence in five seconds: the latest.

const REST_MS = 5_000;

export class Announcer {
  /** @param {Element} place */
  constructor(place) {
    this.place = place;
    this.next = "";
    this.due = 0;
  }

  /** @type {(sentence: string) => void} */
  say(sentence) {
    this.next = sentence;
    if (!this.due) this.tell();
  }

  tell() {
    this.due = 0;
    if (!this.next) return;
    this.place.textContent = this.next;
    this.next = "";
    this.due = setTimeout(() => this.tell(), REST_MS);
  }
}
