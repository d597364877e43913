"""The audit log of a team as lines of JSON, the oldest first, with what it takes to check its
chains without this program (docs/audit.md).
"""

from collections.abc import Iterator

import msgspec

from inspector.core.same_fields import struct_of
from inspector.teams.access import OWN, Principal
from inspector.teams.audit import Act, note
from inspector.teams.audit_chain import time_of
from inspector.teams.audit_filters import AuditFilters
from inspector.teams.models import AuditEntry

LINES_AT_ONCE = 1_000
"""Lines in memory of a log of any length; each part is found by the id before it."""


class AuditExportLine(msgspec.Struct, frozen=True, kw_only=True):
    """One entry. ``chain`` to ``sha256`` are null until it is sealed."""

    id: int
    at: str
    by: str
    act: str
    on: str
    network: str | None
    chain: str | None
    number: int | None
    previous: str | None
    sha256: str | None


def export_lines(principal: Principal, slug: str, filters: AuditFilters) -> Iterator[bytes]:
    """Note the export and return its lines; none where the principal owns no such team."""
    within = principal.within(slug)
    team_ids = within.team_ids(OWN) if within else []
    for team_id in team_ids:
        note(principal, team_id, Act.AUDIT_EXPORTED)
    return _lines(team_ids, filters)


def _lines(team_ids: list[int], filters: AuditFilters) -> Iterator[bytes]:
    entries = filters.narrow(AuditEntry.objects.filter(team__in=team_ids)).order_by("pk")
    behind = 0
    # By position and not by one long statement, which would hold a snapshot for a slow client.
    while found := list(entries.filter(pk__gt=behind)[:LINES_AT_ONCE]):
        yield b"".join(msgspec.json.encode(_line(entry)) + b"\n" for entry in found)
        behind = found[-1].pk


def _line(entry: AuditEntry) -> AuditExportLine:
    return struct_of(
        AuditExportLine, entry, id=entry.pk, at=time_of(entry), previous=entry.previous_sha256
    )
