"""What a response states about itself beside its choices, each value as it was sent."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import msgspec
from msgspec import UNSET, UnsetType

from inspector.core.completion import Json

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """The members of a completion object that name the response. Any JSON value, because providers
    send others than the documents allow; left out if not sent.
    """

    id: Json | UnsetType = UNSET
    object: Json | UnsetType = UNSET
    created: Json | UnsetType = UNSET
    system_fingerprint: Json | UnsetType = UNSET


def identity_of(top: Mapping[str, Json]) -> Identity:
    """Read the members beside the choices; of a stream its first values."""
    names = Identity.__struct_fields__
    return Identity(**{name: top.get(name, UNSET) for name in names})


def created_at(created: Json) -> datetime | None:
    """The moment that ``created`` names, in Unix seconds; None if it is no number or no moment of
    the calendar.
    """
    if created.__class__ not in (int, float):
        return None
    try:
        return EPOCH + timedelta(seconds=created)
    except (OverflowError, ValueError):
        return None
