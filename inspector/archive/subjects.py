"""One choice of a capture as what somebody outside speaks of, who holds a token and no key.

Whoever asks here has proved which team and which choice they mean; nothing else is told of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from inspector.archive.models import DELETED, Capture, ChoiceRow, GoneToken, Inspection


@dataclass(frozen=True, slots=True)
class Subject:
    """A choice, as its provider numbered it, and by what its capture can be grouped."""

    team_id: int
    capture_id: UUID
    choice: int
    model: str | None
    request_model: str | None
    vendor: str | None
    dialect: str | None
    key_id: int | None


@dataclass(frozen=True, slots=True)
class Choices:
    """``numbers`` of those that can be spoken of; none before the capture is inspected."""

    state: str
    numbers: tuple[int, ...]


_TOLD = (
    "state",
    "inspection__model",
    "inspection__request_model",
    "inspection__vendor",
    "inspection__dialect",
    "key",
)


class Missing(Enum):
    GONE = auto()
    """The capture was deleted."""
    UNKNOWN = auto()
    """Never there, not this team's, not inspected yet, or without such a choice."""


def subject_of(team_id: int, capture_id: UUID, choice: int) -> Subject | Missing:
    """One question, whatever becomes of it; of what is missing it finds no row."""
    rows = ChoiceRow.objects.filter(capture=OuterRef("pk"), index=choice)
    there = Q(Exists(rows), inspection__isnull=False) | Q(state__in=DELETED)
    found = Capture.objects.filter(there, pk=capture_id, team=team_id).values_list(*_TOLD).first()
    if found is None:
        return Missing.UNKNOWN
    state, *told = found
    return Missing.GONE if state in DELETED else Subject(team_id, capture_id, choice, *told)


def hold(team_id: int, capture_id: UUID, choice: int) -> Subject | Missing:
    """The same inside a transaction, until whose end nobody deletes the capture or reads it again.

    Raises ``TransactionManagementError`` outside of one.
    """
    held = Capture.objects.filter(pk=capture_id, team=team_id).select_for_update(no_key=True)
    held.only("id").first()
    return subject_of(team_id, capture_id, choice)


def choices_of(team_ids: Iterable[int], capture_id: UUID) -> Choices | None:
    """None where these teams have no such capture."""
    theirs = Capture.objects.filter(pk=capture_id, team__in=team_ids).exclude(state__in=DELETED)
    state = theirs.values_list("state", flat=True).first()
    if state is None:
        return None
    rows = ChoiceRow.objects.filter(capture=capture_id).order_by("position")
    numbers = rows.values_list("index", flat=True)
    return Choices(state, tuple(number for number in numbers if number is not None))


def was_deleted(team_id: int, token_sha256: str) -> bool:
    """Did a capture that was deleted carry this token?"""
    return GoneToken.objects.filter(capture__team=team_id, sha256=token_sha256).exists()


def of_inspection(inspection: Inspection, choice: int) -> Subject:
    """From the rows that a projection is told of."""
    return Subject(
        team_id=inspection.team_id,
        capture_id=inspection.capture_id,
        choice=choice,
        model=inspection.model,
        request_model=inspection.request_model,
        vendor=inspection.vendor,
        dialect=inspection.dialect,
        key_id=inspection.capture.key_id,
    )
