"""Stores captures in groups, each in one commit or, where that fails, its captures alone."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from django.conf import settings

from inspector.archive.intake import submission
from inspector.archive.intake.submission import Accepted, IdempotencyKeyReused, Submission
from inspector.database.portability import UNAVAILABLE
from inspector.teams.access import INGEST, Principal

_LOGGER = logging.getLogger(__name__)


class HasLength(Protocol):
    @property
    def length(self) -> int: ...


Entry = TypeVar("Entry", bound=HasLength)


def groups_to_commit(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """Group entries by number and length. None is empty."""
    group: list[Entry] = []
    length = 0
    for entry in entries:
        group.append(entry)
        length += entry.length
        if len(group) == settings.BATCH_COMMIT_LINES or length >= settings.BATCH_COMMIT_BYTES:
            yield group
            group, length = [], 0
    if group:
        yield group


def accept_group(
    principal: Principal, arrivals: Sequence[Submission], scope: str = INGEST
) -> list[Accepted | IdempotencyKeyReused | None]:
    """One result each, in their order; None for what cannot be stored. Raises what says that the
    database is not available: whoever sends them again then stores the rest.
    """
    try:
        return list(submission.accept_batch(principal, arrivals, scope))
    except UNAVAILABLE:
        raise
    except Exception:
        return [_accept_alone(principal, arrival, scope) for arrival in arrivals]


def _accept_alone(
    principal: Principal, arrival: Submission, scope: str
) -> Accepted | IdempotencyKeyReused | None:
    try:
        return submission.accept(principal, arrival, scope=scope)
    except UNAVAILABLE:
        raise
    except Exception:
        _LOGGER.exception("one of a group of captures cannot be stored")
        return None
