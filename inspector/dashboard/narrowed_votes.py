"""The bar above the votes: what the list is narrowed by, how to take it away, how to add to it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.http import QueryDict
from django.utils import timezone

from inspector.archive.conditions import Condition
from inspector.archive.conditions import written as query_of
from inspector.dashboard.narrowed import Chip, Field, choices
from inspector.dashboard.strip import written
from inspector.feedback.conditions import NAMES, Conditions, conditions_of, vocabulary
from inspector.usage.periods import USUAL

OTHERS = ("range", "by", "before")
"""Names of the page's query that narrow nothing."""
LIVE_OTHERS = (*OTHERS, "after", "seen", "hold")
CHOSEN = ("verdict", "comment", "verified", "waiting")
TYPED = ("model", "vendor", "finish_reason", "tag", "user")
WORDS = {
    "verdict": "verdict",
    "comment": "with a comment",
    "verified": "by our own token",
    "waiting": "waiting for its capture",
    "model": "model answered",
    "vendor": "vendor",
    "finish_reason": "finish reason of the choice",
    "tag": "tag of the capture",
    "user": "user",
    "since": "since",
    "until": "until",
}
HINTS = {"model": "exact match", "user": "user id from the site", "since": "e.g. 24h, 7d or a date"}
SWITCHES = (
    ("outcome", "Outcome", ("negative", "positive")),
    ("state", "Triage", ("open", "resolved", "incorrect")),
)


@dataclass(frozen=True, slots=True)
class Way:
    """One of a few values that are always there to be clicked."""

    word: str
    query: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Switch:
    label: str
    ways: tuple[Way, ...]


@dataclass(frozen=True, slots=True)
class NarrowedVotes:
    """``around`` is what the rest of the page is asked for, kept in every link."""

    conditions: Conditions
    around: tuple[Condition, ...]

    @property
    def query(self) -> str:
        """Of the list alone."""
        return str(self.conditions)

    @property
    def whole(self) -> str:
        """Of the page."""
        return self._query(self.conditions.all)

    @property
    def rest(self) -> str:
        """Of the page without what narrows."""
        return self._query(())

    @property
    def chips(self) -> tuple[Chip, ...]:
        """Of what no switch shows."""
        conditions = self.conditions
        shown = {name for name, _, _ in SWITCHES if len(conditions.of(name)) == 1}
        others = (each for each in conditions.all if each.name not in shown)
        return tuple(Chip(each, self._query(conditions.without(each))) for each in others)

    @property
    def kept(self) -> tuple[Condition, ...]:
        """What the form hands on; the rest of what holds stands in its fields."""
        times = ("since", "until")
        return (*self.around, *(each for each in self.conditions.all if each.name not in times))

    @property
    def fields(self) -> tuple[Field, ...]:
        chosen = (
            Field(name, WORDS[name], groups=(("", choices(name, vocabulary(name) or ())),))
            for name in CHOSEN
            if not self.conditions.of(name)
        )
        typed = (
            Field(name, WORDS[name], HINTS.get(name, ""))
            for name in TYPED
            if name != "user" or not self.conditions.of(name)
        )
        times = (
            Field(name, WORDS[name], HINTS.get(name, "a time"), self._value(name))
            for name in ("since", "until")
        )
        return (*chosen, *typed, *times)

    @property
    def switches(self) -> tuple[Switch, ...]:
        return tuple(Switch(label, self._ways(name, words)) for name, label, words in SWITCHES)

    def only(self, start: datetime, end: datetime, **more: str) -> str:
        """The page with the votes of one stretch of time; what is drawn stays what it was."""
        between = {"since": written(start), "until": written(end)}
        names = {**between, **more}
        kept = (each for each in self.conditions.all if each.name not in names)
        is_usual = not self.conditions.of("since") and not any(
            c.name == "range" for c in self.around
        )
        range = (Condition("range", USUAL),) if is_usual else ()
        return self._query((*range, *kept, *(Condition(*each) for each in names.items())))

    def _ways(self, name: str, words: tuple[str, ...]) -> tuple[Way, ...]:
        others = tuple(each for each in self.conditions.all if each.name != name)
        held = {each.value for each in self.conditions.of(name)}
        every = Way("all", self._query(others), not held)
        ways = (
            Way(word, self._query((*others, Condition(name, word))), held == {word})
            for word in words
        )
        return (every, *ways)

    def _query(self, conditions: tuple[Condition, ...]) -> str:
        return query_of((*self.around, *conditions))

    def _value(self, name: str) -> str:
        return next((each.value for each in self.conditions.of(name)), "")


def narrowed_votes(asked: QueryDict) -> NarrowedVotes:
    values = {name: found for name, found in asked.lists() if name not in LIVE_OTHERS}
    around = tuple(
        Condition(name, value) for name in ("range", "by") if (value := asked.get(name)) is not None
    )
    return NarrowedVotes(conditions_of(values, timezone.now()), around)


def without_blanks(asked: QueryDict) -> str | None:
    """The query that a form meant which sends its empty fields too; None where it has none."""
    names = [name for name in (*NAMES, *OTHERS) if "" in asked.getlist(name)]
    if not names:
        return None
    clean = asked.copy()
    for name in names:
        clean.setlist(name, [value for value in asked.getlist(name) if value])
        if not clean.getlist(name):
            clean.pop(name)
    return clean.urlencode()
