"""The votes of a period as rows for CSV and JSON, next to its usage."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from inspector.feedback.queries import VOTE_DIMENSIONS, Votes, VoteTally, sum_tallies


def votes_answer(
    votes: Votes, start: datetime, end: datetime, slot_seconds: int, by: str, most_groups: int
) -> dict[str, Any]:
    """Cast in the period, whenever their captures came. ``groups`` None: not counted by this."""
    bounds = start, end, slot_seconds
    every = tally_as_json(sum_tallies(votes.slots(*bounds).values()))
    if by not in VOTE_DIMENSIONS:
        return {"all": every, "groups": None}
    groups = votes.groups(*bounds, by)[:most_groups]
    return {
        "all": every,
        "groups": [{"value": each.value, **tally_as_json(each.tally)} for each in groups],
    }


def tally_as_json(tally: VoteTally) -> dict[str, int]:
    return {"positive": tally.positive, "negative": tally.negative}
