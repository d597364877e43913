"""The votes of a team in a period: a sentence, a chart, and groups, worst first.

Groups are ranked by the lower bound of the Wilson interval of their negative rate, so that a single
negative vote does not lead: few votes count less than many.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from inspector.dashboard.charts.axis import drawn_period, time_axis
from inspector.dashboard.charts.chart import (
    Chart,
    ColumnPart,
    ColumnParts,
    ColumnStack,
    columns_chart,
)
from inspector.dashboard.feedback.filter_bar import VoteFilterBar
from inspector.dashboard.text.rate_interval import RateInterval, percent_words, wilson_interval
from inspector.database.portability import StatementTimeout
from inspector.feedback import counts
from inspector.feedback.counts import VoteCounts, VoteCoverage
from inspector.feedback.queries import VoteGroup, Votes, VoteTally, sum_tallies
from inspector.formatting.humanize import plural, short_number
from inspector.usage.rollup.periods import Period

MAX_GROUPS = 50
"""Worst first; `others` counts the rest."""
MOST_UNSURE = 0.7
"""A wider interval says of a rate only that nobody knows it."""
FIRST_GROUPS = 8
"""Groups shown unfolded."""
GROUPING_LABELS = {
    "model": "model answered",
    "vendor": "vendor",
    "finish_reason": "finish reason",
    "verdict": "verdict",
    "tag": "tag",
    "request_model": "model requested",
    "dialect": "format",
    "key": "API key",
}
FILTERABLE_GROUPINGS = ("model", "vendor", "finish_reason", "verdict", "tag")
"""Groupings whose values are also filters of the votes list."""


@dataclass(frozen=True, slots=True)
class VoteGroupRow:
    """``query`` lists the group's votes; empty if no filter can."""

    value: str
    query: str
    tally: VoteTally
    negative: RateInterval

    @property
    def low(self) -> str:
        return f"{self.negative.low:.2%}"

    @property
    def width(self) -> str:
        return f"{self.negative.high - self.negative.low:.2%}"

    @property
    def at(self) -> str:
        return f"{self.negative.share:.2%}"

    @property
    def words(self) -> str:
        negative = self.negative
        return f"{negative.part:,} of {negative.whole:,} negative: {negative.words}"


@dataclass(frozen=True, slots=True)
class FeedbackPage:
    lead: str
    about: tuple[str, ...]
    """Clauses that continue the sentence."""
    aside: tuple[str, ...]
    """Notes on what the numbers include and exclude."""
    tally: VoteTally
    chart: Chart
    first_groups: tuple[VoteGroupRow, ...]
    more_groups: tuple[VoteGroupRow, ...]
    others: int
    """Number of groups beyond the limit."""
    counted: str
    """Number of votes the groups are based on; empty if all."""


def build_feedback_page(
    votes: Votes, period: Period, by: str, filter_bar: VoteFilterBar
) -> FeedbackPage:
    slots = votes.slots(period.start, period.end, period.slot_seconds)
    befores = votes.slots(period.before.start, period.before.end, period.slot_seconds)
    tally, before = sum_tallies(slots.values()), sum_tallies(befores.values())
    counted = vote_counts(votes, period, by)
    drawn = period if befores else drawn_period(period, slots)
    chart = columns_chart(
        time_axis(drawn, filter_bar.query_within),
        slots,
        befores,
        ColumnStack(vote_parts, short_number),
    )
    rows = group_rows(counted.groups if counted else (), by, period, filter_bar)
    worst = sorted(rows, key=lambda row: (-row.negative.low, -row.tally.votes, row.value))
    return FeedbackPage(
        lead=lead_sentence(tally),
        about=tuple(vote_clauses(tally, before, counted)),
        aside=tuple(coverage_clauses(votes, period, counted)),
        tally=tally,
        chart=chart,
        first_groups=tuple(worst[:FIRST_GROUPS]),
        more_groups=tuple(worst[FIRST_GROUPS:MAX_GROUPS]),
        others=max(0, len(worst) - MAX_GROUPS),
        counted=group_coverage_sentence(counted),
    )


# -- in words -------------------------------------------------------------------------------------


def lead_sentence(tally: VoteTally) -> str:
    if not tally.votes:
        return "No votes in this period."
    rate = wilson_interval(tally.negative, tally.votes)
    assert rate is not None
    likely = f"likely {rate.short}" if rate.high - rate.low < MOST_UNSURE else ""
    if not tally.negative:
        return f"{plural(tally.votes, 'vote')}, none negative{likely and f' ({likely})'}."
    told = ", ".join(filter(None, (percent_words(rate.share), likely)))
    return f"{tally.negative:,} of {plural(tally.votes, 'vote')} negative ({told})."


def vote_clauses(tally: VoteTally, before: VoteTally, counted: VoteCounts | None) -> Iterator[str]:
    if was := wilson_interval(before.negative, before.votes):
        yield f"it was {percent_words(was.share)} of {before.votes:,} in the period before"
    if counted and counted.votes:
        of = "" if counted.is_all else f"the newest {counted.votes:,} were "
        users = f" by {plural(counted.users, 'named user')}" if counted.users else ""
        yield f"{of}cast on {plural(counted.choices, 'choice')}{users}"
        if counted.open_negative:
            yield f"{counted.open_negative:,} negative not triaged"


def coverage_clauses(votes: Votes, period: Period, counted: VoteCounts | None) -> Iterator[str]:
    if counted and counted.unverified:
        yield f"{plural(counted.unverified, 'vote')} with tokens that cannot be verified"
    yield from token_coverage_clauses(token_coverage(votes, period))


def token_coverage_clauses(found: VoteCoverage | None) -> Iterator[str]:
    if found and found.tokens:
        of = "" if found.is_all else "newest "
        choices = f"{of}{plural(found.tokens, 'choice')} sent with a token"
        yield f"votes on {found.voted:,} of the {choices}"


def group_coverage_sentence(counted: VoteCounts | None) -> str:
    if counted is None:
        return "Counting was stopped after two seconds. A shorter period helps."
    return "" if counted.is_all else f"Of the newest {counted.votes:,} votes of the period."


# -- what is counted ------------------------------------------------------------------------------


def vote_counts(votes: Votes, period: Period, by: str) -> VoteCounts | None:
    """Count the votes; None if that takes too long."""
    try:
        return counts.count_votes(votes, period.start, period.end, by)
    except StatementTimeout:
        return None


def token_coverage(votes: Votes, period: Period) -> VoteCoverage | None:
    try:
        return counts.vote_coverage(votes, period.start, period.end)
    except StatementTimeout:
        return None


def group_rows(
    groups: Iterable[VoteGroup], by: str, period: Period, filter_bar: VoteFilterBar
) -> Iterator[VoteGroupRow]:
    for group in groups:
        negative = wilson_interval(group.tally.negative, group.tally.votes)
        if negative is None:
            continue
        named = {by: group.value} if by in FILTERABLE_GROUPINGS and group.value else {}
        query = filter_bar.query_within(period.start, period.end, **named) if named else ""
        yield VoteGroupRow(group.value or "", query, group.tally, negative)


def vote_parts(tally: VoteTally) -> ColumnParts:
    """Negative votes at the bottom, where heights are easiest to compare."""
    return ColumnPart("negative", tally.negative), ColumnPart("positive", tally.positive)
