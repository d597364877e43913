"""The usage of a period for page and API: sums over captures, the votes cast in it, and the caches
that were missed.
"""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec

from inspector.archive.member_types import Count, Moment, codes
from inspector.core.completion import TOKEN_COUNTS
from inspector.core.request.cache_miss import MissCause
from inspector.core.request.outline import Section
from inspector.database.portability import StatementTimeout
from inspector.feedback import counts
from inspector.feedback import queries as feedback
from inspector.feedback.queries import VoteGroup, Votes, VoteTally, sum_tallies
from inspector.sessions import queries as sessions
from inspector.sessions.queries import CauseSum
from inspector.teams.access import Principal
from inspector.usage.cost.money import usd_of
from inspector.usage.cost.unknown import CostUnknownReason
from inspector.usage.cost.unpriced import UnpricedKind
from inspector.usage.measures import HISTOGRAMS, Measure
from inspector.usage.rollup import queries as usage
from inspector.usage.rollup.dimensions import GROUPINGS
from inspector.usage.rollup.grouping import UsageGrouping, find_groups
from inspector.usage.rollup.periods import Period
from inspector.usage.rollup.queries import MeasureSums, UsageGroup
from inspector.usage.rollup.tables import MAX_GROUPS, MONEY, RANKS, total_usd

Dimension = Annotated[str, codes(GROUPINGS)]
Counts = dict[str, Count]


class TokenSum(msgspec.Struct, frozen=True):
    """Tokens added up over the captures that have this count."""

    sum: Count | None
    captures: Count


class MoneySum(msgspec.Struct, frozen=True):
    """Exact decimal text in USD, and the number of captures in the sum; null if there are none."""

    sum: str | None
    captures: Count


class Percentiles(msgspec.Struct, frozen=True):
    """Null if no capture has the measure."""

    p50: Count | None
    p95: Count | None
    p99: Count | None


class GroupUsage(msgspec.Struct, frozen=True, kw_only=True):
    """Sums over the captures of one group. `value` is null for captures without a value, and for
    all captures together; `other_value` is the second of two service tiers where either may apply,
    null elsewhere. `lower_bound_usd` is the part of `computed_usd` that leaves out something
    billed; `…_where_both_usd` are sums over captures with a computed and a stated cost. Times are
    in microseconds.
    """

    value: str | None
    other_value: str | None
    captures: Count
    streamed: Count
    verdicts: Counts
    results: Counts
    finish_reasons: Counts
    further_finish_reasons: Count
    usage_reported: Count
    tokens: dict[str, TokenSum]
    computed_usd: MoneySum
    lower_bound_usd: MoneySum
    stated_usd: MoneySum
    computed_where_both_usd: MoneySum
    lower_bound_where_both_usd: MoneySum
    stated_where_both_usd: MoneySum
    cost_unknown: dict[Annotated[str, codes(CostUnknownReason)], Count]
    unpriced_items: dict[Annotated[str, codes(UnpricedKind)], Count]
    cost_tables: Counts
    cost_contradicts_stated: Count
    cost_stated_partly: Count
    cost_stated_odd: Count
    first_token_us: Percentiles
    duration_us: Percentiles
    gap_us: Percentiles
    bytes: Percentiles


class GroupVotes(msgspec.Struct, frozen=True, kw_only=True):
    """Votes on the captures of one group."""

    value: str | None
    positive: Count
    negative: Count


class PeriodVotes(msgspec.Struct, frozen=True):
    """Votes cast in the period, whenever their captures arrived. `groups` is null if votes are not
    counted by this dimension, and counts the newest 10,000 votes.
    """

    all: VoteTally
    groups: tuple[GroupVotes, ...] | None


class MissedTokens(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens that were paid again because the provider's cache was missed. `missed_usd` is what
    they cost more than from the cache, for the captures whose cost is known.
    """

    captures: Count
    tokens: Count
    missed_usd: str | None
    cost_unknown: Count


class MissedCaches(msgspec.Struct, frozen=True):
    """Missed caches by cause; of prompts that changed, by the section where they depart from the
    one before.
    """

    causes: dict[Annotated[str, codes(MissCause)], MissedTokens]
    sections: dict[Annotated[str, codes(Section)], MissedTokens]


class PeriodUsage(msgspec.Struct, frozen=True, kw_only=True):
    """Usage of a period, in total and by group; with `within` the groups by it of the group `of`.
    `more_groups` is the number of groups that are not listed. `newest_captures` is the number of
    captures that groups by tag or session count, the newest; null where all are counted.
    """

    since: Moment
    until: Moment
    slot_seconds: Count
    by: Dimension
    within: Dimension | None
    of: str | None
    all: GroupUsage
    groups: tuple[GroupUsage, ...]
    more_groups: Count
    newest_captures: Count | None
    feedback: PeriodVotes
    missed_cache: MissedCaches


def usage_of(principal: Principal, period: Period, grouping: UsageGrouping) -> PeriodUsage:
    """Return the usage of all teams that the principal belongs to. Raises ``StatementTimeout``."""
    sums, votes = usage.for_principal(principal), feedback.for_principal(principal)
    groups = find_groups(sums, period, grouping.innermost, MAX_GROUPS, grouping.outer)
    return PeriodUsage(
        since=period.start,
        until=period.end,
        slot_seconds=period.slot_seconds,
        by=grouping.by,
        within=grouping.within or None,
        of=grouping.outer.value if grouping.outer else None,
        all=group_usage(UsageGroup(None, sums.every(period))),
        groups=tuple(map(group_usage, groups.listed)),
        more_groups=groups.others,
        newest_captures=groups.newest,
        # Votes are counted by one dimension.
        feedback=_votes_of(votes, period, "" if grouping.within else grouping.by),
        missed_cache=missed_caches(principal, period),
    )


def missed_caches(principal: Principal, period: Period) -> MissedCaches:
    found = sessions.for_principal(principal).missed(period.start, period.end)
    return MissedCaches(
        {cause: _missed(each) for cause, each in found.causes.items()},
        {section: _missed(each) for section, each in found.sections.items()},
    )


def _missed(found: CauseSum) -> MissedTokens:
    is_known = found.unknown < found.captures
    return MissedTokens(
        captures=found.captures,
        tokens=found.tokens,
        missed_usd=usd_of(found.ticks) if is_known else None,
        cost_unknown=found.unknown,
    )


def group_usage(group: UsageGroup) -> GroupUsage:
    sums = group.sums
    return GroupUsage(
        value=group.value,
        other_value=group.other_value,
        captures=sums[Measure.CAPTURES].captures,
        streamed=sums[Measure.STREAMED].captures,
        verdicts=sums.by_value(Measure.VERDICT),
        results=sums.by_value(Measure.RESULT),
        finish_reasons=sums.by_value(Measure.FINISH_REASON),
        further_finish_reasons=sums[Measure.FURTHER_FINISH_REASONS].captures,
        usage_reported=sums[Measure.USAGE_REPORTED].captures,
        tokens=_tokens(sums),
        cost_unknown=sums.by_value(Measure.COST_UNKNOWN),
        unpriced_items=sums.by_value(Measure.UNPRICED),
        cost_tables=sums.by_value(Measure.COST_TABLE),
        cost_contradicts_stated=sums[Measure.COST_CONTRADICTS_STATED].captures,
        cost_stated_partly=sums[Measure.COST_STATED_PARTLY].captures,
        cost_stated_odd=sums[Measure.COST_STATED_ODD].captures,
        **_money(sums),
        **_histograms(sums),
    )


def _tokens(sums: MeasureSums) -> dict[str, TokenSum]:
    amounts = {name: sums[Measure.TOKENS, name] for name in TOKEN_COUNTS}
    return {
        name: TokenSum(amount.total, amount.captures)
        for name, amount in amounts.items()
        if amount.captures
    }


def _money(sums: MeasureSums) -> dict[str, Any]:
    return {
        name: MoneySum(total_usd(sums, measure), sums[measure].captures)
        for name, measure in MONEY.items()
    }


def _histograms(sums: MeasureSums) -> dict[str, Any]:
    shares = RANKS.items()
    return {
        name: Percentiles(**{rank: sums.percentile(name, share) for rank, share in shares})
        for name in HISTOGRAMS
    }


def votes_by_group(principal: Principal, period: Period, by: str) -> Sequence[VoteGroup]:
    """Empty where votes are not grouped so, or where to count them takes too long."""
    if by not in counts.BY:
        return ()
    votes = feedback.for_principal(principal)
    try:
        return counts.count_votes(votes, period.start, period.end, by).groups
    except StatementTimeout:
        return ()


def _votes_of(votes: Votes, period: Period, by: str) -> PeriodVotes:
    every = sum_tallies(votes.slots(period.start, period.end, period.slot_seconds).values())
    if by not in counts.BY:
        return PeriodVotes(every, None)
    counted = counts.count_votes(votes, period.start, period.end, by)
    listed = (
        GroupVotes(value=each.value, positive=each.tally.positive, negative=each.tally.negative)
        for each in counted.groups[:MAX_GROUPS]
    )
    return PeriodVotes(every, tuple(listed))
