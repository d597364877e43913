"""Parses and builds URLs of comparisons.

A side is ``<id>``, ``<id>.2`` for its choice 2, ``<id>@previous`` for the previous analysis, or
both.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from urllib.parse import urlencode
from uuid import UUID

from django.urls import reverse

from inspector.query.resolve import abbreviated

SIDES = 2
"""The page has two columns."""
SIDE_PARAM = "id"
LETTERS = ("A", "B")

_ID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
# As in "01931c6e-….2" and "01931c6e-…@previous".
_SPELT = re.compile(rf"({_ID})(?:\.([0-9]{{1,9}}))?(@previous)?", re.IGNORECASE).fullmatch
# As in "https://inspector.example/captures/01931c6e-…/#choice-2".
_PASTED = re.compile(
    rf"\S*/captures/({_ID})/[^\s#]*(?:#choice-([0-9]{{1,9}})|#\S*)?()", re.IGNORECASE
).fullmatch


@dataclass(frozen=True, slots=True)
class SideRef:
    id: UUID
    choice: int | None = None
    is_previous: bool = False
    """True for the analysis that the stored one replaced."""

    def __str__(self) -> str:
        choice = "" if self.choice is None else f".{self.choice}"
        return f"{self.id}{choice}{'@previous' if self.is_previous else ''}"


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """``mistake`` is a sentence if a name is invalid, else empty."""

    names: tuple[SideRef, ...]
    mistake: str = ""

    @property
    def url(self) -> str:
        return compare_url(self.names)

    @property
    def swapped(self) -> str:
        """URL with the second side as the reference."""
        return compare_url(reversed(self.names))

    def without(self, name: SideRef) -> str:
        return compare_url(each for each in self.names if each != name)

    def instead(self, name: SideRef, other: SideRef) -> str:
        return compare_url(other if each == name else each for each in self.names)


def parse_compare_request(values: Iterable[str]) -> CompareRequest:
    """Parse the names of a URL or form; blank ones are ignored."""
    names: list[SideRef] = []
    for value in filter(None, map(str.strip, values)):
        name = parse_side_ref(value)
        if name is None:
            return CompareRequest((), f"{abbreviated(value)} is not a capture: {HOW_TO_NAME}")
        if name in names:
            return CompareRequest((), f"{name} was entered twice.")
        names.append(name)
    if len(names) > SIDES:
        return CompareRequest((), f"Two are compared at once; {len(names)} were entered.")
    return CompareRequest(tuple(names))


HOW_TO_NAME = (
    "enter its id or address; <id>.2 for choice 2, <id>@previous for the earlier analysis."
)


def parse_side_ref(text: str) -> SideRef | None:
    """Parse a name or the URL of a capture page; None for anything else."""
    found = _SPELT(text) or _PASTED(text)
    if found is None:
        return None
    return SideRef(UUID(found[1]), int(found[2]) if found[2] else None, bool(found[3]))


def compare_url(names: Iterable[SideRef]) -> str:
    query = urlencode([(SIDE_PARAM, str(name)) for name in names], safe="@")
    return reverse("dashboard:compare") + (f"?{query}" if query else "")


def previous_reading_ref(name: SideRef) -> SideRef:
    return replace(name, is_previous=True)


def choice_ref(name: SideRef, choice: int | None) -> SideRef:
    return replace(name, choice=choice)
