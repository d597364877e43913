"""Full-text search within one capture: answers, arguments, findings, exchange and raw bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.core.analysis import Analysis
from inspector.core.completion import Choice
from inspector.dashboard.capture.exchange.exchange_texts import exchange_texts
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.urls import byte_href
from inspector.dashboard.capture.panels.findings import group_findings, sorted_findings
from inspector.formatting.invisible_characters import TextSegment, exact_segments

LONGEST_QUERY = 200
MOST_HITS = 40
"""Limit per searched text."""
MOST_TEXTS = 200
AROUND = 48
"""Characters of context on either side of a hit."""
TEXTS = ("content", "text", "reasoning", "refusal")


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One hit; ``number`` is its 0-based position among the text's hits, for the page to
    jump to.
    """

    before: tuple[TextSegment, ...]
    text: tuple[TextSegment, ...]
    behind: tuple[TextSegment, ...]
    href: str
    number: int


@dataclass(frozen=True, slots=True)
class SearchedText:
    """A searched text with at least one hit."""

    name: str
    hits: tuple[SearchHit, ...]
    total: int

    @property
    def left_out(self) -> int:
        return self.total - len(self.hits)


@dataclass(frozen=True, slots=True)
class SearchResult:
    query: str
    places: tuple[SearchedText, ...]

    @property
    def total(self) -> int:
        return sum(place.total for place in self.places)


def search_capture(view: CaptureView, query: str) -> SearchResult:
    """Searches for the literal query, ignoring case."""
    query = query[:LONGEST_QUERY]
    if not query:
        return SearchResult("", ())
    texts = (search_text(name, href, text, query) for name, href, text in searched_texts(view))
    return SearchResult(
        query, tuple(each for each in (*texts, search_bytes(view, query)) if each.total)
    )


def searched_texts(view: CaptureView) -> Iterator[tuple[str, str, str]]:
    """Yields name, location and text of everything that can be searched."""
    if view.analysis is not None:
        yield from texts_of_analysis(view, view.analysis)
    for name, text in exchange_texts(view):
        yield name, "#exchange", text


def texts_of_analysis(view: CaptureView, analysis: Analysis) -> Iterator[tuple[str, str, str]]:
    for choice in analysis.choices[:MOST_TEXTS]:
        yield from texts_of_choice(choice)
    rows = group_findings(sorted_findings(view.findings))
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


def search_text(name: str, href: str, text: str, query: str) -> SearchedText:
    low, wanted = lowercase_same_length(text), lowercase_same_length(query)
    at = tuple(positions(low, wanted))
    hits = (search_hit(text, start, len(query), href, number) for number, start in enumerate(at))
    return SearchedText(name, tuple(hits), low.count(wanted))


def search_bytes(view: CaptureView, query: str) -> SearchedText:
    # Bytes that are not UTF-8 decode to surrogates, which no query can contain.
    text = view.body.decode(errors="surrogateescape")
    low, wanted = lowercase_same_length(text), lowercase_same_length(query)
    hits: list[SearchHit] = []
    byte = at = 0
    for number, start in enumerate(positions(low, wanted)):
        byte += len(text[at:start].encode(errors="surrogateescape"))
        at = start
        hits.append(search_hit(text, start, len(query), byte_href(view, byte), number))
    return SearchedText("bytes", tuple(hits), low.count(wanted))


def positions(text: str, wanted: str) -> Iterator[int]:
    """Yields the offsets of the first non-overlapping hits."""
    at = text.find(wanted)
    for _ in range(MOST_HITS):
        if at < 0:
            return
        yield at
        at = text.find(wanted, at + len(wanted))


def lowercase_same_length(text: str) -> str:
    """Lowercases without changing offsets: only İ would become two characters."""
    return text.replace("İ", "i").lower()


def search_hit(text: str, start: int, length: int, href: str, number: int) -> SearchHit:
    end = start + length
    return SearchHit(
        exact_segments(text[max(0, start - AROUND) : start]),
        exact_segments(text[start:end]),
        exact_segments(text[end : end + AROUND]),
        href,
        number,
    )
