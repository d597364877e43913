"""Fields of a list, each declared once for parser, language, facets, chips and parameters."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db.models import Q

from inspector.query.tree import Matcher

HAS, MISSING = "has", "missing"
VALUE_CHARACTERS = 500
"""The longest value a stored name can have: every value shown in a list can be filtered by."""


class FieldKind(StrEnum):
    NAME = "name"
    """Compared as a whole; ``*`` at an end stands for any text."""
    TEXT = "text"
    """Matches a part, ignoring case."""
    ID = "id"
    FLAG = "flag"
    NUMBER = "number"
    DURATION = "duration"
    """Stored in microseconds."""
    SIZE = "size"
    """In bytes."""
    MONEY = "money"
    """In US dollars."""
    TIME = "time"
    PRESENCE = "presence"
    """Its values are names of fields."""


ORDERED = (FieldKind.NUMBER, FieldKind.DURATION, FieldKind.SIZE, FieldKind.MONEY)
"""Kinds whose values can be compared and are given as ranges, too."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The scope of a condition: teams, the time column of the list's order, the door to rows of
    other tables, and whether only a part of a list is looked through.
    """

    team_ids: tuple[int, ...]
    time: str = ""
    door: Any = None
    is_part: bool = False


FieldCondition = Callable[[Matcher, Scope], Q]
CountRows = Callable[[Any, tuple[str, ...]], Iterable[tuple[str, int, str]]]
"""Counts rows by value, given a subquery of ids and the chosen values: values, most first, each
with the number of rows that have it and what is shown in its place (empty: itself).
"""
Parse = Callable[[str, datetime], Any]
"""Returns a value of the field, or None for a text that is none."""


@dataclass(frozen=True, slots=True)
class Field:
    """``column`` is a path from the row of the list; a field that needs more has a ``condition``.
    ``table`` names the joined row that every match has: the list is then read from its index.
    """

    name: str
    kind: FieldKind
    label: str
    meaning: str = ""
    """For the table of fields in the documentation."""
    column: str = ""
    table: str = ""
    condition: FieldCondition | None = None
    vocabulary: Callable[[], Iterable[str]] | None = None
    """All values; None where senders and providers may make new ones."""
    parse: Parse | None = None
    """In place of the kind's."""
    form: str = ""
    """Form that ``parse`` expects, in words."""
    describe: Callable[[str], str] | None = None
    """Says in words what a value means."""
    is_nullable: bool = False
    missing: Q | None = None
    """Condition on rows that lack it, where that is no null in the column."""
    is_facet: bool = False
    count_rows: CountRows | None = None
    """Counts it for the facet, for values in rows of their own or too many to group with others."""
    is_list: bool = False
    """Whether what is counted is a JSON list of values."""
    facet_title: str = ""
    absent: str = ""
    """Words of a facet for rows without a value."""
    sort_column: str = ""
    """Column that lists are sorted by, where that is another."""
    counts: Any = None
    """Path or expression of the values that completion counts, where that is not the column."""
    has_index: bool = False
    is_parameter: bool = False
    """It has a query parameter of its own in addresses."""
    is_repeatable: bool = False
    """Its parameter may be given several times."""
    needs_all: bool = False
    """Several parameters must all match; of other fields, any."""
    takes_key: bool = False
    """It is written with a key behind a dot."""
    allows_empty: bool = False
    former_name: str = ""
    """Understood where somebody writes it, and told nowhere."""

    @property
    def is_ordered(self) -> bool:
        return self.kind in ORDERED

    @property
    def counted(self) -> Any:
        """Path or expression of its values in a row of the list; None where there is none."""
        is_listed = self.kind in (FieldKind.NAME, FieldKind.FLAG, *ORDERED)
        return (self.counts or self.column or None) if is_listed else None

    @property
    def can_be_missing(self) -> bool:
        return self.is_nullable or self.missing is not None


@dataclass(slots=True)
class Registry:
    """Fields in the order of their entries; apps above add theirs at start."""

    fields: dict[str, Field] = field(default_factory=dict)

    def register(self, *fields: Field) -> None:
        """Raise ``ImproperlyConfigured`` for a second field of one name."""
        for each in fields:
            if self.fields.get(each.name, each) is not each:
                raise ImproperlyConfigured(f"two fields are named {each.name}")
            self.fields[each.name] = each

    def find(self, name: str) -> Field | None:
        """Return the field of a name as written, which may have a key behind a dot."""
        if found := self.fields.get(name) or self._labelled(name):
            return None if found.takes_key else found
        prefix, dot, key = name.partition(".")
        keyed = self.fields.get(prefix)
        # Two underscores would lead into a value of the key.
        is_key = bool(dot and key) and "__" not in key
        return keyed if keyed and keyed.takes_key and is_key else None

    def _labelled(self, name: str) -> Field | None:
        """Return the field that pages call so, or once called so: what is read there can be
        written.
        """
        return next((each for each in self if name in (each.label, each.former_name)), None)

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields.values())

    def parameters(self) -> tuple[Field, ...]:
        return tuple(each for each in self if each.is_parameter)

    def facets(self) -> tuple[Field, ...]:
        return tuple(each for each in self if each.is_facet)

    def repeatable(self) -> tuple[str, ...]:
        return tuple(each.name for each in self if each.is_parameter and each.is_repeatable)

    def single(self) -> tuple[str, ...]:
        """Names of the parameters that are given once: among them the query itself."""
        once = (each.name for each in self if each.is_parameter and not each.is_repeatable)
        return (*once, "q")

    def parameter_names(self) -> tuple[str, ...]:
        return (*self.repeatable(), *self.single())

    def allowed_values(self, name: str) -> tuple[str, ...] | None:
        """All values a field takes; None where senders and providers may make new ones."""
        found = self.find(name)
        if found is None:
            return None
        if found.kind is FieldKind.PRESENCE:
            return tuple(each.name for each in self if each.can_be_missing)
        return tuple(map(str, found.vocabulary())) if found.vocabulary else None
