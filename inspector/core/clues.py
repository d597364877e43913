"""What tells the vendor, gathered from an assembly and from what is known beside the bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from urllib.parse import urlsplit

from inspector.core.assembly import Assembly
from inspector.core.completion import Choice, Json
from inspector.core.dialects import Clues, Dialect
from inspector.core.exchange import Exchange
from inspector.core.tape import EventKind, Tape

MAX_COMMENTS = 64
"""Comment lines looked at; whoever keeps a stream alive says the same all the time."""
MAX_COMMENT_BYTES = 80


def clues_of(
    about: Exchange,
    assembly: Assembly,
    dialect: Dialect | None,
    choices: Iterable[Choice],
    comments: Iterable[str],
) -> Clues:
    top = assembly.answer.top
    return Clues(
        dialect=dialect.slug if dialect else None,
        signs=assembly.answer.signs(),
        id=_first_text(top.get("id"), *(held.get("id") for held in _inner(top))),
        fingerprint=_first_text(top.get("system_fingerprint")),
        service_tier=_text_or_none(top.get("service_tier")),
        usage=frozenset((*_names(assembly.answer.found_usage.value), *_names_of_inner_usage(top))),
        response=frozenset(name for held in _inner(top) for name in held),
        calls=frozenset(_names_of_calls(choices)),
        error=frozenset(_own_names(top.get("error"))),
        comments=frozenset(comments),
        host=host_of(about.request.url if about.request else None),
        headers=frozenset(name.lower() for name, _ in about.headers),
    )


def host_of(url: str | None) -> str:
    """The host of an address in lower case, "" where there is none."""
    if not url:
        return ""
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""


def comments_of(body: bytes, tape: Tape) -> Iterator[str]:
    """The texts of the first comment lines."""
    events = tape.events
    if EventKind.COMMENT not in events.kind:
        return
    found = (event for event, kind in enumerate(events.kind) if kind is EventKind.COMMENT)
    for event in islice(found, MAX_COMMENTS):
        start = events.byte_start[event]
        line = body[start : min(events.byte_end[event], start + MAX_COMMENT_BYTES)]
        yield line.lstrip(b":").strip().decode(errors="replace")


def _names_of_calls(choices: Iterable[Choice]) -> Iterator[str]:
    for choice in choices:
        for call in choice.tool_calls:
            yield from (pointer[1:] for pointer in call.extras)


def _names(value: Json) -> Iterator[str]:
    """The names of an object and of the objects directly inside it."""
    for name in _own_names(value):
        yield name
        yield from (f"{name}/{part}" for part in _own_names(value[name]))


def _inner(top: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
    """The answer that events of Responses and Anthropic's messages carry."""
    return (held for name in ("response", "message") if isinstance(held := top.get(name), dict))


def _names_of_inner_usage(top: Mapping[str, Json]) -> Iterator[str]:
    """Usage that the events of a format which is not read carry elsewhere."""
    for held in _inner(top):
        yield from _names(held.get("usage"))
    yield from (f"usageMetadata/{name}" for name in _own_names(top.get("usageMetadata")))


def _own_names(value: Json) -> Iterable[str]:
    return value if isinstance(value, dict) else ()


def _first_text(*values: Json) -> str:
    return next((value for value in values if isinstance(value, str)), "")


def _text_or_none(value: Json) -> str | None:
    return value if isinstance(value, str) else None
