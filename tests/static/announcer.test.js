import assert from "node:assert/strict";
import { test } from "node:test";

import { Announcer } from "../../static/dashboard/announcer.js";

test("of what is said within five seconds the latest is told, after them", ({ mock }) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const place = { textContent: "" };
  const announcer = new Announcer(place);
  announcer.say("first");
  assert.equal(place.textContent, "first");
  announcer.say("second");
  announcer.say("third");
  mock.timers.tick(4_999);
  assert.equal(place.textContent, "first");
  mock.timers.tick(1);
  assert.equal(place.textContent, "third");
  mock.timers.tick(5_000);
  announcer.say("fourth");
  assert.equal(place.textContent, "fourth");
});
