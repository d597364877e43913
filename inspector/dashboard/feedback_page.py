"""The votes of a team in one period: a sentence, a drawing, and groups, the worst first.

Worst is whose negative rate is surely high: groups stand by the lower end of its interval, so that
one vote of one does not lead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from inspector.archive.database import TookTooLong
from inspector.dashboard.axis import axis_of
from inspector.dashboard.chart import Chart, Part, Parts, Stack, columns_chart
from inspector.dashboard.interval import Interval, interval, percent
from inspector.dashboard.narrowed_votes import NarrowedVotes
from inspector.dashboard.templatetags.formats import plural
from inspector.dashboard.usage_words import share, short
from inspector.feedback import counts
from inspector.feedback.counts import Counts, Coverage
from inspector.feedback.queries import Tally, VoteGroup, Votes, together
from inspector.usage.periods import Period

MOST_GROUPS = 50
FIRST_GROUPS = 8
"""The others are folded."""
BY_WORDS = {
    "model": "model answered",
    "vendor": "vendor",
    "finish_reason": "finish reason",
    "verdict": "verdict",
    "tag": "tag",
    "request_model": "model requested",
    "dialect": "dialect",
    "key": "API key",
}
FILTERED_BY = ("model", "vendor", "finish_reason", "verdict", "tag")
"""Groups whose name is a filter, too: they lead to their votes."""


@dataclass(frozen=True, slots=True)
class GroupRow:
    """``query`` leads to its votes; empty where no filter names it."""

    value: str
    query: str
    tally: Tally
    negative: Interval

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
    """What the sentence goes on with."""
    aside: tuple[str, ...]
    """What the numbers are and are not of."""
    tally: Tally
    chart: Chart
    first_groups: tuple[GroupRow, ...]
    more_groups: tuple[GroupRow, ...]
    others: int
    """Groups beyond those that are listed."""
    counted: str
    """Of how many votes the groups are; empty where they are of all."""


def feedback_page(votes: Votes, period: Period, by: str, narrowed: NarrowedVotes) -> FeedbackPage:
    slots = votes.slots(period.start, period.end, period.slot_seconds)
    befores = votes.slots(period.before.start, period.before.end, period.slot_seconds)
    tally, before = together(slots.values()), together(befores.values())
    counted = counts_of(votes, period, by)
    chart = columns_chart(axis_of(period, narrowed.only), slots, befores, Stack(vote_parts, short))
    rows = group_rows(groups_of(votes, period, by, counted), by, period, narrowed)
    worst = sorted(rows, key=lambda row: (-row.negative.low, -row.tally.votes, row.value))
    return FeedbackPage(
        lead=lead(tally),
        about=tuple(about(tally, before, counted)),
        aside=tuple(aside(votes, period, counted)),
        tally=tally,
        chart=chart,
        first_groups=tuple(worst[:FIRST_GROUPS]),
        more_groups=tuple(worst[FIRST_GROUPS:MOST_GROUPS]),
        others=max(0, len(worst) - MOST_GROUPS),
        counted=counted_words(by, counted),
    )


# -- in words -------------------------------------------------------------------------------------


def lead(tally: Tally) -> str:
    if not tally.votes:
        return "No votes in this period."
    rate = interval(tally.negative, tally.votes)
    assert rate is not None
    votes = plural(tally.votes, "vote")
    if not tally.negative:
        return f"{votes}, none negative."
    return f"{votes}, {tally.negative:,} negative: {percent(rate.share)}."


def about(tally: Tally, before: Tally, counted: Counts | None) -> Iterator[str]:
    if rate := interval(tally.negative, tally.votes):
        yield f"the true rate is {rate.words}"
    if was := interval(before.negative, before.votes):
        yield f"it was {percent(was.share)} of {before.votes:,} in the period before"
    if counted and counted.votes:
        of = "" if counted.is_all else f"the newest {counted.votes:,} were "
        users = f" by {plural(counted.users, 'named user')}" if counted.users else ""
        yield f"{of}cast on {plural(counted.choices, 'choice')}{users}"
        if counted.open_negative:
            yield f"{counted.open_negative:,} negative not triaged"


def aside(votes: Votes, period: Period, counted: Counts | None) -> Iterator[str]:
    if counted and counted.unverified:
        yield f"{plural(counted.unverified, 'vote')} with tokens that cannot be verified"
    yield from carried(coverage_of(votes, period))
    if waiting := votes.waiting():
        verb = "waiting for its capture" if waiting == 1 else "waiting for their captures"
        yield f"{plural(waiting, 'vote')} {verb}, counted nowhere yet"


def carried(found: Coverage | None) -> Iterator[str]:
    if found and found.tokens:
        of = "" if found.is_all else "newest "
        part = share(found.voted, found.tokens)
        came = f"{of}{plural(found.tokens, 'choice')} with a token in the response"
        yield f"{part} of the {came} got votes"


def counted_words(by: str, counted: Counts | None) -> str:
    if by not in counts.BY:
        return ""
    if counted is None:
        return "Counting was stopped after two seconds. A shorter period helps."
    return "" if counted.is_all else f"Of the newest {counted.votes:,} votes of the period."


# -- what is counted ------------------------------------------------------------------------------


def counts_of(votes: Votes, period: Period, by: str) -> Counts | None:
    """None where it takes too long."""
    asked = by if by in counts.BY else ""
    try:
        return counts.counts(votes, period.start, period.end, asked)
    except TookTooLong:
        return None


def coverage_of(votes: Votes, period: Period) -> Coverage | None:
    try:
        return counts.coverage(votes, period.start, period.end)
    except TookTooLong:
        return None


def groups_of(
    votes: Votes, period: Period, by: str, counted: Counts | None
) -> tuple[VoteGroup, ...]:
    if by in counts.BY:
        return counted.groups if counted else ()
    return votes.groups(period.start, period.end, period.slot_seconds, by)


def group_rows(
    groups: Iterable[VoteGroup], by: str, period: Period, narrowed: NarrowedVotes
) -> Iterator[GroupRow]:
    for group in groups:
        negative = interval(group.tally.negative, group.tally.votes)
        if negative is None:
            continue
        named = {by: group.value} if by in FILTERED_BY and group.value else {}
        query = narrowed.only(period.start, period.end, **named) if named else ""
        yield GroupRow(group.value or "", query, group.tally, negative)


def vote_parts(tally: Tally) -> Parts:
    """Negative at the foot, where lengths are compared."""
    return Part("negative", tally.negative), Part("positive", tally.positive)


def intervals_by(groups: Iterable[VoteGroup]) -> Mapping[str, Interval]:
    """The negative rate of each group that has votes; of those without a value under ""."""
    found = {
        group.value or "": interval(group.tally.negative, group.tally.votes) for group in groups
    }
    return {value: each for value, each in found.items() if each is not None}
