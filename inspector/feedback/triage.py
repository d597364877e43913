"""Triage of votes by the team; every step is kept."""

from uuid import UUID

from django.db import transaction

from inspector.database.column_text import clean_text
from inspector.feedback.models import LIVE, Triage, TriageState, Vote
from inspector.teams.access import FEEDBACK, Principal
from inspector.teams.names import actor_name

NOTE_CHARACTERS = 2_000
"""Characters of the note of one step: each is kept, with a note of its own."""


def triage_vote(principal: Principal, vote_id: UUID, state: TriageState, note: str = "") -> bool:
    """Record a triage step, repeated ones too. False where the principal has no such vote."""
    theirs = Vote.objects.filter(LIVE, pk=vote_id, team__in=principal.team_ids(FEEDBACK))
    with transaction.atomic():
        if not theirs.update(state=state):
            return False
        Triage.objects.create(
            vote_id=vote_id,
            state=state,
            note=clean_text(note, NOTE_CHARACTERS),
            by=actor_name(principal),
        )
    return True
