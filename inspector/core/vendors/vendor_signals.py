"""Collects the signs by which a vendor is detected, from body, host, path and headers."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from urllib.parse import urlsplit

from inspector.core.completion import Choice
from inspector.core.formats import Dialect, FieldsSeen
from inspector.core.json import Json
from inspector.core.tape import EventKind, Tape
from inspector.core.vendors import VendorSignals
from inspector.core.wire.exchange import Exchange

MAX_COMMENTS = 64
"""Comment lines that are looked at; keep-alive comments repeat one text."""
MAX_COMMENT_BYTES = 80
"""A vendor's is a short one, as ": OPENROUTER PROCESSING"."""


def vendor_signals_of(
    about: Exchange,
    top: Mapping[str, Json],
    usage: Json,
    signs: FieldsSeen,
    dialect: Dialect | None,
    choices: Iterable[Choice],
    comments: Iterable[str],
) -> VendorSignals:
    """``top`` holds the answer's members beside its choices, ``usage`` what it states there."""
    nested = _nested_answers(top)
    return VendorSignals(
        dialect=dialect.slug if dialect else None,
        signs=signs,
        id=_first_text(top.get("id"), *(held.get("id") for held in nested)),
        fingerprint=_first_text(top.get("system_fingerprint")),
        service_tier=_text_or_none(top.get("service_tier")),
        usage=frozenset((*_names(usage), *_nested_usage_fields(top, nested))),
        response=frozenset(chain.from_iterable(nested)),
        calls=frozenset(_tool_call_fields(choices)),
        error=frozenset(_own_fields(top.get("error"))),
        comments=frozenset(comments),
        host=host_of(about.request.url if about.request else None),
        headers=frozenset(name.lower() for name, _ in about.headers or ()),
        told=_first_text(top.get("provider")) if dialect is not None and dialect.is_told else "",
    )


def host_of(url: str | None) -> str:
    """Lower-case host of a URL, "" if it has none."""
    if not url:
        return ""
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""


def comments_of(body: bytes, tape: Tape) -> Iterator[str]:
    """Yield the texts of the first comment lines."""
    events = tape.events
    if EventKind.COMMENT not in events.kind:
        return
    found = (event for event, kind in enumerate(events.kind) if kind is EventKind.COMMENT)
    for event in islice(found, MAX_COMMENTS):
        start = events.byte_start[event]
        line = body[start : min(events.byte_end[event], start + MAX_COMMENT_BYTES)]
        yield line.lstrip(b":").strip().decode(errors="replace")


def _tool_call_fields(choices: Iterable[Choice]) -> Iterator[str]:
    for choice in choices:
        for call in choice.tool_calls:
            yield from (pointer[1:] for pointer in call.extras)


def _names(value: Json) -> list[str]:
    """Return the member names of an object and of the objects directly inside it."""
    fields = value if isinstance(value, dict) else {}
    inner = [(name, inside) for name, inside in fields.items() if isinstance(inside, dict)]
    return [*fields, *(f"{name}/{part}" for name, inside in inner for part in inside)]


def _nested_answers(top: Mapping[str, Json]) -> list[dict[str, Json]]:
    """Return the answer objects nested in events of the Responses and Messages formats."""
    return [held for name in ("response", "message") if isinstance(held := top.get(name), dict)]


def _nested_usage_fields(
    top: Mapping[str, Json], nested: Iterable[dict[str, Json]]
) -> Iterator[str]:
    """Yield names of usage fields that formats recognised only by name nest in their events."""
    for held in nested:
        yield from _names(held.get("usage"))
    yield from (f"usageMetadata/{name}" for name in _own_fields(top.get("usageMetadata")))


def _own_fields(value: Json) -> Iterable[str]:
    return value if isinstance(value, dict) else ()


def _first_text(*values: Json) -> str:
    return next((value for value in values if isinstance(value, str)), "")


def _text_or_none(value: Json) -> str | None:
    return value if isinstance(value, str) else None
