"""Full-text search within one capture: answers, arguments, findings, exchange and raw bytes."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.completion import BlockKind, Choice
from inspector.dashboard.capture.choices.blocks import block_names
from inspector.dashboard.capture.choices.footnotes import MAX_NOTES
from inspector.dashboard.capture.choices.parts import member_text
from inspector.dashboard.capture.exchange.value_lists import MAX_ENTRIES, MAX_HEADERS, metadata_text
from inspector.dashboard.capture.findings.panel import group_findings, sorted_findings
from inspector.dashboard.capture.page.block_order import block_id, is_in_order
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.urls import byte_href
from inspector.dashboard.capture.prompt.prompt_texts import prompt_texts
from inspector.formatting.invisible_characters import TextSegment, exact_segments
from inspector.formatting.lanes import type_words

LONGEST_QUERY = 200
"""As of the JSON search (`json_search.MAX_LETTERS`)."""
MAX_HITS = 40
"""Hits of each text: a letter that is all over one leaves room for the others."""
MAX_TEXTS = 200
"""Choices, and calls and texts of each: an answer may have ten thousand."""
AROUND = 48
"""Characters of context on either side of a hit."""
TEXTS = ("content", "text", "reasoning", "refusal")
MEDIA = (BlockKind.IMAGE, BlockKind.AUDIO)
"""Blocks that hold no text; the search in the bytes finds it."""


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One hit; ``number`` is its 0-based position in the text, for the page to jump to."""

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
    """Search for the literal query, ignoring case."""
    query = query[:LONGEST_QUERY]
    if not query:
        return SearchResult("", ())
    texts = (search_text(name, href, text, query) for name, href, text in searched_texts(view))
    return SearchResult(
        query, tuple(each for each in (*texts, search_bytes(view, query)) if each.total)
    )


def searched_texts(view: CaptureView) -> Iterator[tuple[str, str, str]]:
    """Yield name, location and text of everything that can be searched."""
    if view.analysis is not None:
        yield from texts_of_analysis(view, view.analysis)
    yield from prompt_texts(view)
    for name, text in exchange_texts(view):
        yield name, "#exchange", text


def texts_of_analysis(view: CaptureView, analysis: Analysis) -> Iterator[tuple[str, str, str]]:
    for choice in analysis.choices[:MAX_TEXTS]:
        yield from texts_of_choice(choice)
    rows = group_findings(sorted_findings(view.findings))
    for number, (first, *_) in enumerate(rows[:MAX_TEXTS], start=1):
        yield "finding", f"#finding-{number}", f"{first.message} {first.code}"


def texts_of_choice(choice: Choice) -> Iterator[tuple[str, str, str]]:
    yield from texts_of_blocks(choice) if is_in_order(choice) else texts_of_fields(choice)
    for position, call in enumerate(choice.tool_calls[:MAX_TEXTS]):
        href = f"#call-{choice.index}-{position}"
        if isinstance(call.name, str):
            yield f"choice {choice.index} tool name", href, call.name
        yield f"choice {choice.index} arguments", href, call.arguments_text
    if choice.function_call is not None:
        href = f"#call-{choice.index}-f"
        yield f"choice {choice.index} arguments", href, choice.function_call.arguments_text


def texts_of_fields(choice: Choice) -> Iterator[tuple[str, str, str]]:
    for name in TEXTS:
        text = getattr(choice, name)
        if isinstance(text, str):
            yield f"choice {choice.index} {name}", f"#choice-{choice.index}", text


def texts_of_blocks(choice: Choice) -> Iterator[tuple[str, str, str]]:
    """Yield the texts of the blocks, and their parts as the page shows them."""
    names = dict(block_names(choice))
    for position, block in enumerate(choice.blocks[:MAX_TEXTS]):
        href = f"#{block_id(choice.index, position)}"
        if isinstance(block.text, str):
            name = names.get(position, str(block.kind))
            yield f"choice {choice.index} {name}", href, block.text
        elif block.value is not UNSET and block.kind not in MEDIA:
            text = member_text(block.value)
            yield f"choice {choice.index} {type_words(block)}", href, text
        for citation in block.citations[:MAX_NOTES]:
            yield f"choice {choice.index} citation", href, member_text(citation)


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
    """Yield the offsets of the first non-overlapping hits."""
    at = text.find(wanted)
    for _ in range(MAX_HITS):
        if at < 0:
            return
        yield at
        at = text.find(wanted, at + len(wanted))


def lowercase_same_length(text: str) -> str:
    """Lowercase without changing offsets: only İ would become two characters."""
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


def exchange_texts(view: CaptureView) -> Iterator[tuple[str, str]]:
    """Yield name and text of everything that the panel lists."""
    request = view.request
    if request is not None and (request.method or request.url):
        yield "request line", f"{request.method or ''} {request.url or ''}".strip()
    for name, value in (request.headers or () if request else ())[:MAX_HEADERS]:
        yield "request header", f"{name}: {value}"
    for name, value in (view.facts.headers or ())[:MAX_HEADERS]:
        yield "response header", f"{name}: {value}"
    for name, value in islice(view.facts.metadata.items(), MAX_ENTRIES):
        yield "metadata", f"{name}: {metadata_text(value)}"
