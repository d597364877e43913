"""A position in the archive's order, newest first: by a time of captures, and then by id."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.db.models import Q

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# As in "1764115200123456-0199a1b2c3d47e5f8a6b9c0d1e2f3a4b": microseconds and id.
_FORM = re.compile(r"([0-9]{1,17})-([0-9a-f]{32})")


class BadCursor(ValueError):
    """The text is no cursor that this archive has given out."""


def microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)


def moment_of(microseconds: int) -> datetime:
    """Raise ``BadCursor`` where no calendar has the moment."""
    try:
        return _EPOCH + timedelta(microseconds=microseconds)
    except OverflowError as error:
        raise BadCursor(str(microseconds)) from error


@dataclass(frozen=True, slots=True)
class Order:
    """The columns that a capture list is sorted by: the capture's own, or their copies in a joined
    table. The copies sort the same way and stand in that table's indexes.
    """

    time: str = "called_at"
    id: str = "id"

    @property
    def newest_first(self) -> tuple[str, str]:
        return f"-{self.time}", f"-{self.id}"

    @property
    def oldest_first(self) -> tuple[str, str]:
        return self.time, self.id


ARRIVAL = Order("received_at")
"""The order of commits: who follows what comes misses nothing of it."""


@dataclass(frozen=True, slots=True, order=True)
class Cursor:
    at: datetime
    id: UUID

    @classmethod
    def parse(cls, text: str) -> Cursor:
        found = _FORM.fullmatch(text)
        if found is None:
            raise BadCursor(text)
        return cls(moment_of(int(found[1])), UUID(found[2]))

    def __str__(self) -> str:
        return f"{microseconds(self.at)}-{self.id.hex}"

    def older(self, order: Order = Order()) -> Q:
        return self._beyond(order, "lt")

    def newer(self, order: Order = Order()) -> Q:
        return self._beyond(order, "gt")

    def _beyond(self, order: Order, side: str) -> Q:
        time, id_column = order.time, order.id
        # The first condition repeats the second for the sake of the index: a database can start
        # in the middle of it only by a plain comparison.
        return Q(**{f"{time}__{side}e": self.at}) & (
            Q(**{f"{time}__{side}": self.at}) | Q(**{f"{id_column}__{side}": self.id})
        )
