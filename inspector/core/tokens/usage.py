"""Reads the usage object into flat counts under their wire names; money stays text.

References disagree about the place of partial counts: WorkflowAI's and OpenAI's completions
reference nest them, FlowAPI's leaves it open. So a count is looked for nested first, then beside
the totals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET

from inspector.core.completion import USAGE_TOTALS, Json, Usage
from inspector.core.json.pointer import pointer_to
from inspector.core.json.raw_values import RawValues, with_raw_numbers
from inspector.core.limits import Allowance, LimitedItem
from inspector.core.vendors import Vendor

MAX_COUNT = 2**63 - 1
TOO_MANY_TOKENS = 10**9
"""More than any model reads or writes. Such a count is a provider's mistake, and must not spoil a
month's sums.
"""

# For each attribute its places inside the usage object; the first one that was sent is read.
PLACES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "prompt_tokens": (("prompt_tokens",),),
    "completion_tokens": (("completion_tokens",),),
    "total_tokens": (("total_tokens",),),
    "cached_tokens": (
        ("prompt_tokens_details", "cached_tokens"),
        ("cached_tokens",),
        ("prompt_token_details", "cached_tokens"),
    ),
    "reasoning_tokens": (
        ("completion_tokens_details", "reasoning_tokens"),
        ("reasoning_tokens",),
        ("completion_token_details", "reasoning_tokens"),
    ),
    "cache_write_tokens": (
        ("prompt_tokens_details", "cache_write_tokens"),
        ("cache_write_tokens",),
    ),
    "prompt_cache_hit_tokens": (("prompt_cache_hit_tokens",),),
    "prompt_cache_miss_tokens": (("prompt_cache_miss_tokens",),),
    "prompt_text_tokens": (("prompt_tokens_details", "text_tokens"),),
    "prompt_image_tokens": (("prompt_tokens_details", "image_tokens"),),
    "prompt_audio_tokens": (("prompt_tokens_details", "audio_tokens"),),
    "completion_text_tokens": (("completion_tokens_details", "text_tokens"),),
    "completion_image_tokens": (("completion_tokens_details", "image_tokens"),),
    "completion_audio_tokens": (("completion_tokens_details", "audio_tokens"),),
    "accepted_prediction_tokens": (("completion_tokens_details", "accepted_prediction_tokens"),),
    "rejected_prediction_tokens": (("completion_tokens_details", "rejected_prediction_tokens"),),
}

POINTERS = {place: pointer_to(place) for places in PLACES.values() for place in places}
"""JSON Pointer inside the usage object, by place."""
DETAILS = frozenset(place[0] for places in PLACES.values() for place in places if len(place) > 1)
MONEY = ("cost", "cost_details")


def is_count(value: Json) -> bool:
    return value.__class__ is int and 0 <= value <= MAX_COUNT


def is_grown(before: Json, after: Json) -> bool:
    """True if the second usage object is a later state of the first (cumulative usage): no total is
    smaller.
    """
    if not isinstance(before, dict) or not isinstance(after, dict):
        return False
    for name in USAGE_TOTALS:
        then, now = before.get(name, 0), after.get(name, 0)
        if then.__class__ is not int or now.__class__ is not int or now < then:
            return False
    return True


def read_usage(
    sent: Json,
    found_at: str | int | None,
    text: bytes = b"",
    path: Sequence[str | int] = ("usage",),
    allowance: Allowance | None = None,
    vendor: Vendor | None = None,
) -> Usage:
    """Read a usage object; anything else than an object counts as not reported.

    ``text`` is the JSON text around it and ``path`` its place there, from which money is read
    exactly. A cost counts as stated only if the vendor documents one: gateways and clients add
    estimates of their own, which stay extras.
    """
    if not isinstance(sent, dict):
        return Usage(extras={} if sent is UNSET or sent is None else {"": sent})
    counts: dict[str, Any] = {}
    places: dict[str, str] = {}
    used: set[tuple[str, ...]] = set()
    for name, usual in PLACES.items():
        for place in usual:
            value = _at(sent, place)
            if value is None or is_count(value):
                counts[name] = value
                used.add(place)
                if place is not usual[0]:
                    places[name] = POINTERS[place]
                break
    money = _money(sent, text, path) if vendor is not None and vendor.cost_path else {}
    used.update((name,) for name in money)
    extras = (allowance or Allowance()).first(LimitedItem.UNKNOWN_FIELDS, _extras(sent, used))
    return Usage(
        reported=True,
        found_at=found_at,
        pointer=pointer_to(path),
        places=places,
        extras=extras,
        **counts,
        **money,
    )


def _money(sent: dict[str, Json], text: bytes, path: Sequence[str | int]) -> dict[str, Any]:
    """Costs with their exact spelling. What is neither number nor object stays in extras."""
    money: dict[str, Any] = {}
    spelling = RawValues(text)
    for name in MONEY:
        value = sent.get(name, UNSET)
        if value is None:
            money[name] = None
        elif value.__class__ is dict or (name == "cost" and value.__class__ in (int, float)):
            raw = spelling.at((*path, name))
            if raw is not None:
                money[name] = with_raw_numbers(raw)
    return money


def _at(sent: Mapping[str, Json], place: tuple[str, ...]) -> Json:
    value: Json = sent
    for name in place:
        if not isinstance(value, dict):
            return UNSET
        value = value.get(name, UNSET)
    return value


def _extras(sent: Mapping[str, Json], used: set[tuple[str, ...]]) -> dict[str, Json]:
    """All fields that are not counts, by JSON Pointer inside the usage object."""
    extras: dict[str, Json] = {}
    for name, value in sent.items():
        if name in DETAILS and isinstance(value, dict):
            for part, item in value.items():
                if (name, part) not in used:
                    extras[pointer_to((name, part))] = item
        elif (name,) not in used:
            extras[pointer_to((name,))] = value
    return extras
