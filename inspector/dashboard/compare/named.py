"""What an address compares: captures by their ids, one choice of one, a reading that was replaced.

``<id>``, ``<id>.2`` for its choice 2, ``<id>@previous`` for the reading before the last, and both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from urllib.parse import urlencode
from uuid import UUID

from django.urls import reverse

from inspector.archive.conditions import shown
from inspector.dashboard.templatetags.formats import plural
from inspector.dashboard.wire import listed

MOST_SIDES = 4
NAME = "of"
ORDINALS = ("first", "second", "third", "fourth")

_ID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_SPELT = re.compile(rf"({_ID})(?:\.([0-9]{{1,9}}))?(@previous)?", re.IGNORECASE).fullmatch
_PASTED = re.compile(
    rf"\S*/captures/({_ID})/[^\s#]*(?:#choice-([0-9]{{1,9}})|#\S*)?()", re.IGNORECASE
).fullmatch


@dataclass(frozen=True, slots=True)
class Named:
    id: UUID
    choice: int | None = None
    is_previous: bool = False
    """The reading that the stored one replaced."""

    def __str__(self) -> str:
        choice = "" if self.choice is None else f".{self.choice}"
        return f"{self.id}{choice}{'@previous' if self.is_previous else ''}"


@dataclass(frozen=True, slots=True)
class Asked:
    """``mistake`` is a sentence, empty where all names can be looked up."""

    names: tuple[Named, ...]
    mistake: str = ""

    @property
    def url(self) -> str:
        return compare_url(self.names)

    def first(self, name: Named) -> str:
        """The address with this one as what the others are compared with."""
        return compare_url((name, *(each for each in self.names if each != name)))

    def without(self, name: Named) -> str:
        return compare_url(each for each in self.names if each != name)

    def instead(self, name: Named, other: Named) -> str:
        return compare_url(other if each == name else each for each in self.names)

    def and_also(self, name: Named) -> str:
        return compare_url((*self.names, name))


def asked(values: Iterable[str]) -> Asked:
    """As an address or a form says it: what is blank says nothing."""
    names: list[Named] = []
    for value in filter(None, map(str.strip, values)):
        name = named(value)
        if name is None:
            return Asked((), f"{shown(value)} is not a capture: {HOW_TO_NAME}")
        if name in names:
            return Asked((), f"{name} was entered twice.")
        names.append(name)
    if len(names) > MOST_SIDES:
        return Asked((), f"Up to {MOST_SIDES} can be compared at once; {len(names)} were entered.")
    return Asked(tuple(names))


HOW_TO_NAME = (
    "enter its id or address; <id>.2 for choice 2, <id>@previous for the earlier analysis."
)


def named(text: str) -> Named | None:
    """None for anything else than a name or the address of a capture's page."""
    found = _SPELT(text) or _PASTED(text)
    if found is None:
        return None
    return Named(UUID(found[1]), int(found[2]) if found[2] else None, bool(found[3]))


def compare_url(names: Iterable[Named]) -> str:
    query = urlencode([(NAME, str(name)) for name in names], safe="@")
    return reverse("dashboard:compare") + (f"?{query}" if query else "")


def previous_of(name: Named) -> Named:
    return replace(name, is_previous=True)


def choice_of(name: Named, choice: int | None) -> Named:
    return replace(name, choice=choice)


def both(number: int) -> str:
    """``both``, ``all three``: how many sides there are."""
    return {2: "both", 3: "all three", 4: "all four"}[number]


def only(gone: int, new: int, word: str, before: int, after: int) -> str:
    """``1 key only in the first, 2 only in the second``, for the positions of two sides."""
    there = [(gone, before), (new, after)]
    told = [(number, f"only in the {ORDINALS[position]}") for number, position in there if number]
    words = [f"{number:,} {where}" for number, where in told]
    if told:
        words[0] = f"{plural(told[0][0], word)} {told[0][1]}"
    return ", ".join(words)


def in_ordinals(positions: Iterable[int]) -> str:
    """``the first``, ``the second and third``."""
    return f"the {listed([ORDINALS[position] for position in positions])}"
