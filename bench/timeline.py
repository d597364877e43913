"""The timeline of very long streams in Chromium: longest task, frames while scrubbing, memory.

    python3 bench/timeline.py [--seconds S] [--only PART]

Makes its streams itself: two choices with reasoning and content, a silence in every thousand
chunks, every read with its time, and in one of them a comment before every chunk. Starts
an installation of its own in a temporary folder, posts them, opens each capture's timeline, drags
the scrubber over the drawing for S seconds and scrolls the table as long. A frame is the time from
one animation frame to the next, the longest task that of all after the first paint; beside each
stands what its thread had of the processor, which other programs on the machine change less.
Needs the project's environment and Chromium.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from browsing import browsing  # noqa: E402
from painting import Kind, post  # noqa: E402
from playwright.sync_api import Browser, Page  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

ENVELOPE = "application/vnd.inspector.exchange+json"
HEAPS = ("usedSize", "embedderHeapUsedSize", "backingStorageSize")
TRACED = ["toplevel", "devtools.timeline", "loading", "cc", "__metadata"]
FRAME = "ProxyMain::BeginMainFrame"
PAINT = "firstContentfulPaint"
READY_WITHIN_MS = 60_000
PACE_US = 11_000
SILENCE_US = 6_000_000
WATCH = """
    window.tasks = [];
    new PerformanceObserver((list) => {
      for (const task of list.getEntries()) tasks.push([task.startTime, task.duration]);
    }).observe({ type: "longtask", buffered: true });
    window.watchFrames = () => {
      const frames = [];
      let before = performance.now(), on = true;
      const frame = (now) => {
        frames.push(now - before);
        before = now;
        if (on) requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
      return () => { on = false; return frames.slice(1); };
    };
"""
LONGEST = """() => {
    const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0;
    return Math.max(0, ...tasks.filter(([start]) => start > paint).map(([, duration]) => duration));
}"""


@dataclass(frozen=True, slots=True)
class Seen:
    part: str
    drawn_ms: float
    longest_ms: float
    longest_work_ms: float
    frames: list[float]
    work: list[float]
    """Milliseconds of the processor in each frame."""
    heap_mb: float


def chunk(choice: int, name: str, text: str) -> str:
    delta = json.dumps({name: text})
    return (
        'data: {"object":"chat.completion.chunk","choices":'
        f'[{{"index":{choice},"delta":{delta}}}]}}\n\n'
    )


def reads(chunks: int, comments: bool) -> Iterator[dict[str, Any]]:
    at_us = 400_000
    for number in range(chunks):
        at_us += SILENCE_US if number % 10_000 == 9_999 else PACE_US + number * 7919 % 5_000
        name = "reasoning_content" if number < chunks // 3 else "content"
        text = chunk(number % 2, name, f"word{number % 97} ")
        yield {"at_us": at_us, "data": (": still here\n\n" if comments else "") + text}
    yield {"at_us": at_us + PACE_US, "data": "data: [DONE]\n\n"}


def envelope(chunks: int, comments: bool) -> bytes:
    headers = [["content-type", "text/event-stream"]]
    response = {"status": 200, "headers": headers, "reads": list(reads(chunks, comments))}
    return json.dumps({"response": response}, separators=(",", ":")).encode()


KINDS = (
    Kind("2,000 chunks", ENVELOPE, lambda: envelope(2_000, False)),
    Kind("50,000 chunks", ENVELOPE, lambda: envelope(50_000, False)),
    Kind("100,000 events", ENVELOPE, lambda: envelope(50_000, True)),
    Kind("100,000 chunks", ENVELOPE, lambda: envelope(100_000, False)),
)


def opened(page: Page, url: str) -> float:
    """Milliseconds until it was drawn."""
    page.add_init_script(WATCH)
    started = time.monotonic()
    page.goto(url, timeout=READY_WITHIN_MS)
    page.locator("#timeline [data-drawn]").wait_for(timeout=READY_WITHIN_MS)
    drawn_ms = (time.monotonic() - started) * 1000
    page.wait_for_load_state("networkidle", timeout=READY_WITHIN_MS)
    return drawn_ms


def dragged(page: Page, seconds: float) -> list[float]:
    canvas = page.locator("#timeline canvas")
    canvas.scroll_into_view_if_needed()
    place = canvas.bounding_box()
    assert place is not None, "the canvas is on the page"
    y = place["y"] + 60
    page.evaluate("void (window.stopFrames = watchFrames())")
    page.mouse.move(place["x"] + 200, y)
    page.mouse.down()
    ends = time.monotonic() + seconds
    step = 0
    while time.monotonic() < ends:
        step += 1
        page.mouse.move(place["x"] + 200 + step * 13 % (place["width"] - 300), y)
    frames: list[float] = page.evaluate("stopFrames()")
    page.mouse.up()
    return frames


def scrolled(page: Page, seconds: float) -> list[float]:
    grid = page.locator(".event-grid")
    grid.scroll_into_view_if_needed()
    grid.hover()
    page.evaluate("void (window.stopFrames = watchFrames())")
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        page.mouse.wheel(0, 4_000)
    frames: list[float] = page.evaluate("stopFrames()")
    return frames


def seen(browser: Browser, state: Any, url: str, part: str, seconds: float) -> Seen:
    context = browser.new_context(storage_state=state, viewport={"width": 1440, "height": 1000})
    page = context.new_page()
    session = context.new_cdp_session(page)
    browser.start_tracing(page=page, categories=TRACED)
    drawn_ms = opened(page, url)
    longest_work = max(tasks_of(browser.stop_tracing()).values())
    browser.start_tracing(page=page, categories=TRACED)
    frames = dragged(page, seconds) if part == "lanes" else scrolled(page, seconds)
    work = work_of(browser.stop_tracing())
    longest = page.evaluate(LONGEST)
    session.send("HeapProfiler.collectGarbage")
    heap = session.send("Runtime.getHeapUsage")
    context.close()
    return Seen(
        part,
        drawn_ms,
        longest,
        longest_work,
        frames,
        work,
        sum(heap.get(name, 0) for name in HEAPS) / 1e6,
    )


def main_thread(trace: bytes) -> list[dict[str, Any]]:
    """Return what the pages' main thread did, in order."""
    events = json.loads(trace)["traceEvents"]
    names = [each for each in events if each["name"] == "thread_name"]
    pages = {
        (each["pid"], each["tid"]) for each in names if each["args"]["name"] == "CrRendererMain"
    }
    own = [each for each in events if (each["pid"], each["tid"]) in pages]
    return sorted(own, key=lambda each: float(each["ts"]))


def tasks_of(trace: bytes) -> dict[float, float]:
    """Milliseconds of the processor of each task after the first paint, by its start."""
    events = main_thread(trace)
    paint = max((each["ts"] for each in events if each["name"] == PAINT), default=0)
    return {
        each["ts"]: each["tdur"] / 1000
        for each in events
        if each["name"].endswith("RunTask") and "tdur" in each and each["ts"] > paint
    }


def work_of(trace: bytes) -> list[float]:
    """Milliseconds of the processor of each frame: input, scripts, layout and paint."""
    frames = [each for each in main_thread(trace) if each["name"] == FRAME]
    return [each["tdur"] / 1000 for each in frames if "tdur" in each]


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def table() -> Table:
    shown = Table(title="the timeline in Chromium, headless")
    shown.add_column("stream")
    shown.add_column("shown as")
    for name in ("body", "drawn after", "longest task", "its work", "frame p50", "p95",
                 "its work p50", "p95", "heap"):  # fmt: skip
        shown.add_column(name, justify="right")
    return shown


def told(kind: Kind, body: bytes, seen: Seen) -> tuple[str, ...]:
    return (
        kind.name,
        seen.part,
        f"{len(body) / 1e6:,.1f} MB",
        f"{seen.drawn_ms:,.0f} ms",
        f"{seen.longest_ms:,.0f} ms",
        f"{seen.longest_work_ms:,.0f} ms",
        f"{percentile(seen.frames, 0.5):,.1f} ms",
        f"{percentile(seen.frames, 0.95):,.1f} ms",
        f"{percentile(seen.work, 0.5):,.1f} ms",
        f"{percentile(seen.work, 0.95):,.1f} ms",
        f"{seen.heap_mb:,.1f} MB",
    )


def measure(kinds: list[Kind], seconds: float) -> Table:
    shown = table()
    with browsing() as at:
        for kind in kinds:
            body = kind.body()
            url = at.url(post(at.port, at.key, kind, body))
            for part, query in (("lanes", "?show=timeline"), ("table", "?timeline=table")):
                found = seen(at.browser, at.state, url + query, part, seconds)
                shown.add_row(*told(kind, body, found))
    return shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--only", default="", help="a part of a stream's name")
    asked = parser.parse_args()
    kinds = [kind for kind in KINDS if asked.only in kind.name]
    Console(width=int(os.environ.get("COLUMNS", 140))).print(measure(kinds, asked.seconds))


if __name__ == "__main__":
    main()
