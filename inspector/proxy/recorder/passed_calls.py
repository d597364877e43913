"""Counts what became of calls, by team and hour, until the database takes it."""

import logging
from collections import Counter
from datetime import UTC, datetime
from threading import Lock
from typing import Literal

from django.db import DatabaseError

from inspector.archive.intake import proxy_counts
from inspector.archive.intake.proxy_counts import CallsOfHour
from inspector.database.portability import UNAVAILABLE

Kind = Literal["recorded", "missed", "omitted", "other", "paused"]
Hour = tuple[int, datetime]
"""A team and the beginning of an hour."""

_LOGGER = logging.getLogger(__name__)


class PassedCalls:
    def __init__(self) -> None:
        # Two threads count, one of them stores.
        self._counting = Lock()
        self._calls: dict[Hour, Counter[str]] = {}

    def count(self, team_id: int, kind: Kind, calls: int = 1, at: float | None = None) -> None:
        """``at``: Unix time in seconds at which the calls began; None is now."""
        moment = datetime.now(UTC) if at is None else datetime.fromtimestamp(at, UTC)
        hour = (team_id, moment.replace(minute=0, second=0, microsecond=0))
        with self._counting:
            self._calls.setdefault(hour, Counter())[kind] += calls

    def store(self) -> None:
        """Raise what the database raises where it refuses; nothing is forgotten then."""
        with self._counting:
            calls, self._calls = self._calls, {}
        if not calls:
            return
        try:
            proxy_counts.add_counts([CallsOfHour(*hour, each) for hour, each in calls.items()])
        except UNAVAILABLE:
            with self._counting:
                for hour, each in calls.items():
                    self._calls.setdefault(hour, Counter()).update(each)
            raise
        except DatabaseError:
            # To try again would not help.
            _LOGGER.exception("counts of calls could not be stored")
