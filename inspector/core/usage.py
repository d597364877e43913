"""The usage object: counts flat under their wire names, parts inside their wholes.

Documents disagree where a part stands (000 and 004 nest it, 003 leaves it open), so a count is
looked for nested first, then beside the totals.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from inspector.core.completion import Json, Usage

MAX_COUNT = 2**63 - 1

# attribute -> places inside the usage object, the first that was sent holds
PLACES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "prompt_tokens": (("prompt_tokens",),),
    "completion_tokens": (("completion_tokens",),),
    "total_tokens": (("total_tokens",),),
    "cached_tokens": (("prompt_tokens_details", "cached_tokens"), ("cached_tokens",)),
    "reasoning_tokens": (
        ("completion_tokens_details", "reasoning_tokens"),
        ("reasoning_tokens",),
    ),
    "prompt_audio_tokens": (("prompt_tokens_details", "audio_tokens"),),
    "completion_audio_tokens": (("completion_tokens_details", "audio_tokens"),),
    "accepted_prediction_tokens": (("completion_tokens_details", "accepted_prediction_tokens"),),
    "rejected_prediction_tokens": (("completion_tokens_details", "rejected_prediction_tokens"),),
}


def is_count(value: Json) -> bool:
    return value.__class__ is int and 0 <= value <= MAX_COUNT


def read_usage(sent: Json, found_at: str | int | None) -> Usage:
    """The counts of a usage object as it was sent; anything else than an object reports none."""
    if not isinstance(sent, dict):
        return Usage(extras={} if sent is UNSET or sent is None else {"": sent})
    counts: dict[str, Any] = {}
    used: set[tuple[str, ...]] = set()
    for name, places in PLACES.items():
        for place in places:
            value = _at(sent, place)
            if value is None or is_count(value):
                counts[name] = value
                used.add(place)
                break
    return Usage(reported=True, found_at=found_at, extras=_extras(sent, used), **counts)


def _at(sent: Mapping[str, Json], place: tuple[str, ...]) -> Json:
    value: Json = sent
    for name in place:
        if not isinstance(value, dict):
            return UNSET
        value = value.get(name, UNSET)
    return value


def _extras(sent: Mapping[str, Json], used: set[tuple[str, ...]]) -> dict[str, Json]:
    """Everything that is not one of the counts above, by its pointer inside the usage object."""
    extras: dict[str, Json] = {}
    for name, value in sent.items():
        if name in ("prompt_tokens_details", "completion_tokens_details") and isinstance(
            value, dict
        ):
            for part, item in value.items():
                if (name, part) not in used:
                    extras[f"/{name}/{part}"] = item
        elif (name,) not in used:
            extras[f"/{name}"] = value
    return extras
