"""Whether the player of the pages agrees with the core: its state at a moment is what reading says
of the reads that had come by then.
"""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from playwright.sync_api import Page, Route

from inspector.core.reading import read
from inspector.core.tape import LaneMode, Tape
from inspector.core.wire.content_encoding import decompressed
from inspector.core.wire.exchange import Clock, Exchange, Read, TransportOutcome
from inspector.dashboard.capture.timeline.timeline_data import build_timeline_data
from inspector.formatting.lanes import LaneTexts, well_formed

STATIC = Path(__file__).resolve().parents[2] / "static"
ORIGIN = "http://player.localhost"
MOMENTS = 5

PLAY = """
async (cases) => {
  const { Player } = await import("/dashboard/player/player.js");
  const { columnsOf } = await import("/dashboard/tape.js");
  return cases.map(({ drawn, moments }) => {
    const player = new Player(columnsOf(drawn));
    return moments.map((moment) => {
      player.seek(moment);
      return player.lanes.map((lane) => ({
        text: player.textOf(lane)?.toWellFormed() ?? null, length: player.lengthOf(lane),
      }));
    });
  });
}
"""


@dataclass(frozen=True, slots=True)
class Moment:
    """``texts`` of the lanes by their number; a lane that had not begun is not among them."""

    at: int
    texts: dict[int, str]


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    drawn: Any
    moments: tuple[Moment, ...]


def case_of(name: str, exchange: Exchange, chance: random.Random) -> Case | None:
    """None where nothing is drawn: the response was no stream."""
    whole = read(exchange)
    analysis, tape = whole.analysis(), whole.tape()
    if not analysis.streamed or not tape.events.kind:
        return None
    drawn = msgspec.to_builtins(build_timeline_data(analysis, tape, whole.snapshots()))
    # A dialect may show itself only in the last chunk.
    plain = msgspec.structs.replace(decompressed(exchange), dialect=analysis.dialect)
    moments = [moment_of(plain, tape, chance) for _ in range(MOMENTS)]
    return Case(name, drawn, tuple(moment for moment in moments if moment is not None))


def moment_of(exchange: Exchange, tape: Tape, chance: random.Random) -> Moment | None:
    """None where what had come by then was not yet recognised: nothing is said of its texts."""
    if tape.clock is Clock.NONE or not any(tape.reads.at_us):
        at = chance.randrange(len(tape.events.kind))
        reads = (Read(None, exchange.body[: tape.events.byte_end[at]]),)
    else:
        at = chance.choice(tape.reads.at_us) + chance.choice((-1, 0, 0, 7_000))
        reads = tuple(one for one in exchange.reads if one.at_us is not None and one.at_us <= at)
    reading = read(msgspec.structs.replace(exchange, reads=reads, outcome=TransportOutcome.OPEN))
    analysis, lanes = reading.analysis(), reading.tape().lanes
    if reads and not analysis.choices:
        return None
    known = LaneTexts(analysis)
    texts = {number: known.text(number, lane) or "" for number, lane in enumerate(lanes)}
    if any(lane.mode is not all_.mode for lane, all_ in zip(lanes, tape.lanes, strict=False)):
        return None
    return Moment(at, {number: well_formed(text) for number, text in texts.items()})


def open_player(page: Page) -> None:
    """An empty page at which the scripts of the pages can be imported."""

    def answer(route: Route) -> None:
        path = STATIC / route.request.url.removeprefix(ORIGIN).lstrip("/")
        if path.is_file():
            route.fulfill(path=path, content_type="text/javascript")
        else:
            route.fulfill(body="<!doctype html><title>Player</title>", content_type="text/html")

    page.route(f"{ORIGIN}/**", answer)
    page.goto(f"{ORIGIN}/")


def unlike(page: Page, cases: Iterable[Case]) -> Iterator[str]:
    """Yield the values that the player says otherwise, a line each."""
    for case in cases:
        asked = {"drawn": case.drawn, "moments": [moment.at for moment in case.moments]}
        (told,) = page.evaluate(PLAY, [asked])
        for moment, lanes in zip(case.moments, told, strict=True):
            yield from unlike_moment(case, moment, lanes)


def unlike_moment(case: Case, moment: Moment, lanes: list[dict[str, Any]]) -> Iterator[str]:
    for number, lane in enumerate(lanes):
        due = moment.texts.get(number, "")
        length = len(due.encode("utf-16-le")) // 2
        if lane["text"] not in (due, None) or lane["length"] != length:
            yield f"{case.name}: lane {number} at {moment.at} is {lane['text']!r:.80}, not {due!r:.80}"


def is_snapshot(case: Case) -> bool:
    return any(lane["mode"] == LaneMode.SNAPSHOT for lane in case.drawn["tape"]["lanes"])
