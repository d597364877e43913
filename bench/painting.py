"""How a capture page arrives in Chromium: first paint, bytes, longest task, shifts, size.

The captures are a small response, streams of 2,000 and 50,000 chunks, a body of 20 MB, 100,000
tokens with logprobs and a megabyte of base64. Each page is opened several times with an empty
cache; told are medians, and the first paint of the very first time. What a page fetches once it is
in view counts as its bytes.
"""

import http.client
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

import core
from browsing import browsing
from playwright.sync_api import Browser, BrowserContext, Page
from rich.table import Table
from started_systems import SSE_TYPE

JSON = "application/json"
SETTLED_WITHIN_MS = 60_000
INSPECTED_WITHIN_SECONDS = 400
WATCH = """
    window.seen = { longest: 0, shift: 0 };
    new PerformanceObserver((list) => {
      for (const task of list.getEntries()) seen.longest = Math.max(seen.longest, task.duration);
    }).observe({ type: "longtask", buffered: true });
    new PerformanceObserver((list) => {
      for (const each of list.getEntries()) if (!each.hadRecentInput) seen.shift += each.value;
    }).observe({ type: "layout-shift", buffered: true });
"""
TOLD = """() => ({
    paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
    answer: performance.getEntriesByType("navigation")[0].responseStart,
    nodes: document.querySelectorAll("*").length,
    ...window.seen,
})"""


@dataclass(frozen=True, slots=True)
class Kind:
    name: str
    content_type: str
    body: Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class Seen:
    """Milliseconds from the start of the navigation, but for the longest task's own."""

    answer_ms: float
    paint_ms: float
    longest_ms: float
    transferred_bytes: int
    nodes: int
    shift: float


def answer(content: str, **more: Any) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, **more}
    choice["finish_reason"] = "stop"
    body = {"object": "chat.completion", "model": "parcel-large-2", "choices": [choice]}
    return json.dumps(body).encode()


def with_logprobs(tokens: int) -> bytes:
    words = [f"word{n} " for n in range(tokens)]
    other = [{"token": "other ", "logprob": -2.5, "bytes": [111]}]
    entries = [
        {"token": word, "logprob": -(n % 50) / 10, "bytes": [119], "top_logprobs": other}
        for n, word in enumerate(words)
    ]
    return answer("".join(words), logprobs={"content": entries})


KINDS = (
    Kind("small response", JSON, lambda: answer("Hello from the warehouse.")),
    Kind("2,000 chunks", SSE_TYPE, lambda: core.stream(2_000)),
    Kind("50,000 chunks", SSE_TYPE, lambda: core.stream(50_000)),
    Kind("20 MB body", JSON, lambda: answer("A parcel from Rotterdam.\n" * 770_000)),
    Kind("100,000 logprobs", JSON, lambda: with_logprobs(100_000)),
    Kind(
        "1 MB of base64", JSON, lambda: answer("data:image/png;base64," + "iVBORw0KGgo=" * 87_000)
    ),
)


def post(port: int, key: str, kind: Kind, body: bytes) -> str:
    """Return the id of the capture, once it is inspected, or given up by a machine that is too
    busy.
    """
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": kind.content_type}
    connection.request("POST", "/api/v1/captures/", body, headers)
    capture_id = str(json.load(connection.getresponse())["id"])
    deadline = time.monotonic() + INSPECTED_WITHIN_SECONDS
    while time.monotonic() < deadline:
        connection.request("GET", f"/api/v1/captures/{capture_id}/", headers=headers)
        state = json.load(connection.getresponse())["state"]
        if state in ("inspected", "quarantined"):
            return capture_id
        time.sleep(0.2)
    raise SystemExit(f"{kind.name} was not inspected")


def look(context: BrowserContext, url: str) -> Seen:
    page = context.new_page()
    page.add_init_script(WATCH)
    received = count_bytes(context, page)
    page.goto(url, timeout=SETTLED_WITHIN_MS)
    page.wait_for_load_state("networkidle", timeout=SETTLED_WITHIN_MS)
    told = page.evaluate(TOLD)
    return Seen(
        told["answer"], told["paint"], told["longest"], sum(received), told["nodes"], told["shift"]
    )


def count_bytes(context: BrowserContext, page: Page) -> list[int]:
    """Fill with what each response took on the wire."""
    received: list[int] = []
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.on(
        "Network.loadingFinished", lambda event: received.append(int(event["encodedDataLength"]))
    )
    return received


def looks(browser: Browser, state: Any, url: str, times: int) -> list[Seen]:
    """Each with an empty cache."""
    seen = []
    for _ in range(times):
        context = browser.new_context(storage_state=state, viewport={"width": 1440, "height": 1000})
        seen.append(look(context, url))
        context.close()
    return seen


def table() -> Table:
    shown = Table(title="capture pages in Chromium, empty cache, medians")
    shown.add_column("capture")
    for name in ("body", "first look paint", "answer", "first paint", "longest task",
                 "transferred", "elements", "shift"):  # fmt: skip
        shown.add_column(name, justify="right")
    return shown


def told(kind: Kind, body: bytes, seen: list[Seen]) -> tuple[str, ...]:
    def middle(name: str) -> float:
        return median(getattr(each, name) for each in seen)

    return (
        kind.name,
        f"{len(body) / 1000:,.1f} kB",
        f"{seen[0].paint_ms:,.0f} ms",
        f"{middle('answer_ms'):,.0f} ms",
        f"{middle('paint_ms'):,.0f} ms",
        f"{middle('longest_ms'):,.0f} ms",
        f"{middle('transferred_bytes') / 1000:,.0f} kB",
        f"{middle('nodes'):,.0f}",
        f"{middle('shift'):.3f}",
    )


def painted(part: str, times: int) -> Table:
    """Return what was seen of the captures with such a part in their name."""
    shown, kinds = table(), [kind for kind in KINDS if part in kind.name]
    with browsing() as at:
        for kind in kinds:
            body = kind.body()
            url = at.url(post(at.port, at.key, kind, body))
            shown.add_row(*told(kind, body, looks(at.browser, at.state, url, times)))
    return shown
