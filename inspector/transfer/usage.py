"""What was used in a period, and the votes that were cast in it: one answer for other programs."""

from __future__ import annotations

from typing import Any

from inspector.feedback import queries as feedback
from inspector.feedback.tables import answer_of as votes_of
from inspector.teams.access import Principal
from inspector.usage import queries as usage
from inspector.usage.periods import Period
from inspector.usage.tables import MOST_GROUPS, answer_of


def usage_answer(principal: Principal, period: Period, by: str) -> dict[str, Any]:
    """Of all teams that the asker belongs to. Raises ``TookTooLong``."""
    sums, votes = usage.for_principal(principal), feedback.for_principal(principal)
    groups = sums.groups(period, by, MOST_GROUPS)
    used = answer_of(period, by, sums.every(period), groups)
    bounds = period.start, period.end, period.slot_seconds
    return {**used, "feedback": votes_of(votes, *bounds, by, MOST_GROUPS)}
