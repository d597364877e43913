"""The fields by which a response identifies itself, each value as it was sent."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import msgspec
from msgspec import UNSET, UnsetType

from inspector.core.json import Json

# As in "2026-11-05T09:30:00.25Z" (RFC 3339, 5.6).
_IS_DATE = re.compile(
    r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,30})?([Zz]|[+-]\d\d:\d\d)", re.ASCII
).fullmatch
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """The members of a completion object that name the response. Any JSON value, because providers
    send others than the documents allow; left out if not sent.
    """

    id: Json | UnsetType = UNSET
    object: Json | UnsetType = UNSET
    created: Json | UnsetType = UNSET
    system_fingerprint: Json | UnsetType = UNSET


def identity_of(top: Mapping[str, Json], names: Mapping[str, str]) -> Identity:
    """Read the members beside the choices; of a stream its first values. ``names``: what a format
    calls them, where it has other names.
    """
    fields = Identity.__struct_fields__
    return Identity(**{name: top.get(names.get(name, name), UNSET) for name in fields})


def created_at(created: Json) -> datetime | None:
    """Return the moment that ``created`` names, in Unix seconds or as a date with time and zone
    (RFC 3339, cut to microseconds); None if it is neither or no moment of the calendar.
    """
    try:
        if isinstance(created, str) and _IS_DATE(created):
            return datetime.fromisoformat(created.upper()).astimezone(UTC)
        if created.__class__ in (int, float):
            return EPOCH + timedelta(seconds=created)
    except (OverflowError, ValueError):
        pass
    return None
