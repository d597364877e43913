"""Stores every answer of a file, and counts what became of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from django.conf import settings

from inspector.archive.intake.groups import accept_group
from inspector.archive.intake.submission import Accepted, IdempotencyKeyReused
from inspector.dashboard.paste.pasted_file import submissions_of
from inspector.teams.access import Principal
from inspector.transfer.files.registry import RecognisedFile
from inspector.web import deadline


@dataclass(frozen=True, slots=True)
class StoredFileAnswers:
    stored: int = 0
    duplicates: int = 0
    refused: int = 0

    def __add__(self, other: StoredFileAnswers) -> StoredFileAnswers:
        return StoredFileAnswers(
            self.stored + other.stored,
            self.duplicates + other.duplicates,
            self.refused + other.refused,
        )


def store_answers(principal: Principal, file: RecognisedFile) -> StoredFileAnswers:
    """Read the file within the time of a page, then store it in commits of many. Raises what says
    that the database is not available; a second time then stores the rest.
    """
    with deadline.interrupt_after(settings.PAGE_SECONDS):
        arrivals = list(islice(submissions_of(file), settings.MAX_BATCH_LINES))
    usable = [arrival for arrival in arrivals if arrival is not None]
    told = StoredFileAnswers(refused=len(arrivals) - len(usable))
    for at in range(0, len(usable), settings.BATCH_COMMIT_LINES):
        told += _counted(accept_group(principal, usable[at : at + settings.BATCH_COMMIT_LINES]))
    return told


def _counted(results: Sequence[Accepted | IdempotencyKeyReused | None]) -> StoredFileAnswers:
    accepted = [result for result in results if isinstance(result, Accepted)]
    duplicates = sum(result.duplicate for result in accepted)
    return StoredFileAnswers(len(accepted) - duplicates, duplicates, len(results) - len(accepted))
