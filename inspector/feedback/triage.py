"""What a team makes of a vote; every step is kept."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from inspector.archive.text import clean
from inspector.feedback.models import LIVE, Triage, TriageState, Vote
from inspector.teams.access import FEEDBACK, Principal
from inspector.teams.naming import name_of

NOTE_CHARACTERS = 2_000


def triage(principal: Principal, vote_id: UUID, state: TriageState, note: str = "") -> bool:
    """False where the asker has no such live vote. The same step again is a step, too."""
    theirs = Vote.objects.filter(LIVE, pk=vote_id, team__in=principal.team_ids(FEEDBACK))
    with transaction.atomic():
        if not theirs.update(state=state):
            return False
        Triage.objects.create(
            vote_id=vote_id,
            state=state,
            note=clean(note, NOTE_CHARACTERS),
            by=name_of(principal)[:200],
        )
    return True
