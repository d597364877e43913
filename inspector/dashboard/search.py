"""Where a text stands in one capture: in answers, arguments, findings and the bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.core.completion import Choice
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.marks import Segment, exact
from inspector.dashboard.panels.findings import grouped, sorted_findings
from inspector.dashboard.templatetags.places import byte_href

LONGEST_QUERY = 200
MOST_HITS = 40
"""Of each text that is searched."""
MOST_TEXTS = 200
AROUND = 48
"""Characters of the text on either side of a hit."""
TEXTS = ("content", "text", "reasoning", "refusal")


@dataclass(frozen=True, slots=True)
class Hit:
    """``number`` counts from 0 in its text, so that a page can find the same one in it."""

    before: tuple[Segment, ...]
    text: tuple[Segment, ...]
    behind: tuple[Segment, ...]
    href: str
    number: int


@dataclass(frozen=True, slots=True)
class Place:
    """One text that was searched and holds what is looked for."""

    name: str
    hits: tuple[Hit, ...]
    total: int

    @property
    def left_out(self) -> int:
        return self.total - len(self.hits)


@dataclass(frozen=True, slots=True)
class Found:
    query: str
    places: tuple[Place, ...]

    @property
    def total(self) -> int:
        return sum(place.total for place in self.places)


def find(view: CaptureView, query: str) -> Found:
    """Literally, capitals and small letters alike."""
    query = query[:LONGEST_QUERY]
    if not query:
        return Found("", ())
    texts = (place_of(name, href, text, query) for name, href, text in texts_of(view))
    return Found(query, tuple(each for each in (*texts, in_bytes(view, query)) if each.total))


def texts_of(view: CaptureView) -> Iterator[tuple[str, str, str]]:
    """What is read on the page: its name, where it stands, and the text."""
    if view.analysis is None:
        return
    for choice in view.analysis.choices[:MOST_TEXTS]:
        yield from texts_of_choice(choice)
    rows = grouped(sorted_findings(view.findings))
    for number, (first, *_) in enumerate(rows[:MOST_TEXTS], start=1):
        yield "finding", f"#finding-{number}", f"{first.message} {first.code}"


def texts_of_choice(choice: Choice) -> Iterator[tuple[str, str, str]]:
    for name in TEXTS:
        text = getattr(choice, name)
        if isinstance(text, str):
            yield f"choice {choice.index} {name}", f"#choice-{choice.index}", text
    for position, call in enumerate(choice.tool_calls[:MOST_TEXTS]):
        href = f"#call-{choice.index}-{position}"
        if isinstance(call.name, str):
            yield f"choice {choice.index} tool name", href, call.name
        yield f"choice {choice.index} arguments", href, call.arguments_text
    if choice.function_call is not None:
        href = f"#call-{choice.index}-f"
        yield f"choice {choice.index} arguments", href, choice.function_call.arguments_text


def place_of(name: str, href: str, text: str, query: str) -> Place:
    low, wanted = lowered(text), lowered(query)
    at = tuple(positions(low, wanted))
    hits = (hit(text, start, len(query), href, number) for number, start in enumerate(at))
    return Place(name, tuple(hits), low.count(wanted))


def in_bytes(view: CaptureView, query: str) -> Place:
    """Bytes that are no UTF-8 stand as what only they can be looked for by: nothing."""
    text = view.body.decode(errors="surrogateescape")
    low, wanted = lowered(text), lowered(query)
    hits: list[Hit] = []
    byte = at = 0
    for number, start in enumerate(positions(low, wanted)):
        byte += len(text[at:start].encode(errors="surrogateescape"))
        at = start
        hits.append(hit(text, start, len(query), byte_href(view, byte), number))
    return Place("bytes", tuple(hits), low.count(wanted))


def positions(text: str, wanted: str) -> Iterator[int]:
    """Where the first hits begin, none inside another."""
    at = text.find(wanted)
    for _ in range(MOST_HITS):
        if at < 0:
            return
        yield at
        at = text.find(wanted, at + len(wanted))


def lowered(text: str) -> str:
    """In small letters, each character at its place: of all only İ would become two."""
    return text.replace("İ", "i").lower()


def hit(text: str, start: int, length: int, href: str, number: int) -> Hit:
    end = start + length
    return Hit(
        exact(text[max(0, start - AROUND) : start]),
        exact(text[start:end]),
        exact(text[end : end + AROUND]),
        href,
        number,
    )
