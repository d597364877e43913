"""Notes who reads a capture, for teams whose audit log is to say so. Every door that shows one asks
this before it does; lists, searches and sums show none, and exports are noted as such.
"""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from inspector.archive.visible_captures import visible_captures
from inspector.teams import audit
from inspector.teams.access import READ, Principal


def note_reads(principal: Principal, capture_ids: Iterable[UUID]) -> None:
    """Notes each capture that the principal may read, in the hours that it was not noted yet. What
    cannot be noted raises ``DatabaseError``, and is not shown.
    """
    noting = {team.id for team in principal.teams if team.notes_reads}
    teams = noting.intersection(principal.team_ids(READ))
    # Nearly always: a question less for each part of a page.
    if not teams:
        return
    found = visible_captures(teams).filter(pk__in=[*capture_ids])
    for capture_id, team_id in found.values_list("pk", "team"):
        audit.note_read(principal, team_id, str(capture_id))
