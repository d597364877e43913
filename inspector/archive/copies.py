"""Ends what other apps made of captures and keep by themselves, in the transaction that overwrites
or deletes the captures: files of exports and, where these are deleted, links to them.
"""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

import msgspec
from django.conf import settings
from django.utils.module_loading import import_string


class EndedCopies(msgspec.Struct, frozen=True):
    """``exports``: files that held a capture; ``shares``: links that led to one."""

    exports: int = 0
    shares: int = 0


def end_copies(capture_ids: Collection[UUID]) -> EndedCopies:
    counts: dict[str, int] = {}
    for path in settings.DELETION_PROJECTORS:
        counts |= import_string(path)(capture_ids)
    return EndedCopies(**counts)
