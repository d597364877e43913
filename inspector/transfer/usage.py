"""The usage response for page and API: the sums of a period and the votes cast in it."""

from __future__ import annotations

from typing import Any

from inspector.feedback import queries as feedback
from inspector.feedback.tables import votes_answer as votes_of
from inspector.teams.access import Principal
from inspector.usage.rollup import queries as usage
from inspector.usage.rollup.periods import Period
from inspector.usage.rollup.tables import MAX_GROUPS, sums_answer


def usage_answer(principal: Principal, period: Period, by: str) -> dict[str, Any]:
    """The usage of all teams that the principal belongs to. Raises ``StatementTimeout``."""
    sums, votes = usage.for_principal(principal), feedback.for_principal(principal)
    groups = sums.groups(period, by, MAX_GROUPS)
    used = sums_answer(period, by, sums.every(period), groups)
    bounds = period.start, period.end, period.slot_seconds
    return {**used, "feedback": votes_of(votes, *bounds, by, MAX_GROUPS)}
