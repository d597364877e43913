"""However often a sender repeats something, a page holds no more of it than a browser can show."""

import json

import pytest

from tests.archive.samples import inspected
from tests.dashboard.capture.samples import chunk, delta
from tests.people import Person

MAX_BYTES = 1_000_000
TIMES = 600
MANY = range(TIMES)
FIELDS = {f"k{n}": n for n in MANY}


def answer(message: dict[str, object], **more: object) -> bytes:
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return json.dumps({"object": "chat.completion", "choices": [choice], **more}).encode()


BODIES = {
    "unknown fields": answer({"content": "a"}, **FIELDS, usage={"prompt_tokens": 1, **FIELDS}),
    "one long value": answer({"content": "a"}, x="y" * 3_000_000),
    "one long name": answer({"content": "a"}, **{"x" * 200_000: 1}),
    "calls": answer({"tool_calls": [{"x": n, "y": n} for n in MANY]}),
    "annotations": answer({"content": "a", "annotations": [{"x": n} for n in MANY]}),
    "choices": b'{"object":"chat.completion","choices":[%s]}' % b",".join([b'{"x":1}'] * TIMES),
    "chunks": "".join(chunk(delta(content="a", **{f"x{n}": 1})) for n in MANY).encode(),
}
PARTS = ("?show=extras", "panels/tool_calls/?tool_calls=tree", "panels/findings/")


@pytest.mark.thorough
def test_no_page_and_no_panel_is_longer_than_a_browser_can_show(owner: Person) -> None:
    browser, wrong = owner.browser(), {}
    for name, body in BODIES.items():
        capture_id = inspected(owner, body)
        for part in PARTS:
            shown = browser.get(f"/captures/{capture_id}/{part}", headers={"HX-Request": "true"})
            if shown.status_code != 200 or len(shown.content) > MAX_BYTES:
                wrong[f"{name} {part}"] = shown.status_code, len(shown.content)
    assert wrong == {}
