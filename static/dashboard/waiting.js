// The page of a response that waits for its inspection: the finished page takes its place.

import { byId } from "./elements.js";
import { replaceInPlace } from "./recording/ending.js";

replaceInPlace({
  isHeld: () => false,
  isLive: () => false,
  isFollowed: () => false,
  finished(sentence) {
    byId("live-announced", HTMLElement).textContent = sentence;
  },
});
