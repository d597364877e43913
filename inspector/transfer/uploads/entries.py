"""Entries of an upload, and in which groups they are committed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

from django.conf import settings

from inspector.archive.intake.submission import Submission
from inspector.transfer.files.entries import PassedOver
from inspector.transfer.json_document import BadDocument


@dataclass(frozen=True, slots=True)
class UploadEntry:
    """One entry: a capture to store, or why it is none."""

    number: int
    content: Submission | PassedOver | BadDocument
    length: int = 0
    """Bytes of it that are stored."""


class HasLength(Protocol):
    @property
    def length(self) -> int: ...


Entry = TypeVar("Entry", bound=HasLength)


def groups_to_commit(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """Groups entries by number and length. None is empty."""
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
