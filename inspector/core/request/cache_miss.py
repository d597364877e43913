"""Why a prompt was not read from the provider's cache, as far as both calls state it.

Expected is what the call before left in the cache, as long as this prompt begins with it; stated is
what the provider says that it read. Tokens at a place inside a prompt are apportioned by bytes.
"""

from enum import StrEnum

import msgspec

from inspector.core.request.cache_rules import HOUR, CacheRule, cache_rule
from inspector.core.request.changes import Departure
from inspector.core.request.outline import CacheMarks, Section

LONG_SECONDS = HOUR
TOLERATED_STEPS = 2
"""Providers round down to steps, in both calls."""
TOLERATED_SHARE = 0.1
"""A prefix that is read but for so little is a hit."""


class MissCause(StrEnum):
    CHANGED = "changed"
    """The prompt departs from the one before it."""
    EXPIRED = "expired"
    """More time passed than the provider keeps an entry."""
    BELOW_MINIMUM = "below-minimum"
    """The part that the request marks is shorter than what the provider caches."""
    OTHER_ROUTE = "other-route"
    """Another model, provider, key of the cache, tier or machine."""
    UNKNOWN = "unknown"


class CallFacts(msgspec.Struct, frozen=True, array_like=True):
    """Facts that one call states. Token counts are None where they are not sent; ``prompt_tokens``
    hold what was read from the cache and written to it.
    """

    vendor: str | None = None
    model: str | None = None
    upstream: str | None = None
    tier: str | None = None
    fingerprint: str | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    written_tokens: int | None = None
    marks: CacheMarks = CacheMarks()


class CacheMiss(msgspec.Struct, frozen=True, array_like=True):
    """``missed_tokens`` of the prefix were paid again: ``expected_tokens`` less those stated."""

    cause: MissCause
    expected_tokens: int
    stated_tokens: int
    missed_tokens: int
    section: Section | None = None
    """Where the prompt departs, of one that changed."""
    is_due: bool = True
    """By the documents it had to be missed, or none is promised: nobody need look."""
    is_derived: bool = False
    """Expected tokens were apportioned."""
    route: tuple[str, ...] = ()
    """Names of what differs in another route."""


def cache_miss(
    before: CallFacts, after: CallFacts, departure: Departure | None, lapse_us: int | None
) -> CacheMiss | None:
    """None where nothing was missed, nothing was to be expected, or nobody can know. ``lapse_us``
    is the time from one request to the other; None where their clocks contradict each other.
    """
    rule = cache_rule(before.vendor, before.model, before.marks)
    if rule is None or after.cached_tokens is None:
        return None
    stated, left = after.cached_tokens, _left_in_cache(before, rule)
    if left == 0:
        return _below_minimum(before, after, rule)
    share = 1.0 if departure is None else departure.share
    common = _cacheable(int((before.prompt_tokens or left) * share), rule)
    reusable = left if departure is None else min(left, common)
    missed = left - stated
    if missed <= max(TOLERATED_STEPS * rule.step, int(left * TOLERATED_SHARE)):
        return None
    cause, route = _cause(before, after, rule, lapse_us, left - reusable, reusable - stated)
    return CacheMiss(
        cause=cause,
        expected_tokens=left,
        stated_tokens=stated,
        missed_tokens=missed,
        section=departure.section if departure and cause is MissCause.CHANGED else None,
        is_due=_is_due(cause, rule, lapse_us),
        is_derived=not rule.is_marked and departure is not None,
        route=route if cause is MissCause.OTHER_ROUTE else (),
    )


def _left_in_cache(before: CallFacts, rule: CacheRule) -> int:
    """Tokens that a call leaves in the cache. One that marks says how many."""
    if rule.is_marked:
        return (before.cached_tokens or 0) + (before.written_tokens or 0)
    return _cacheable(before.prompt_tokens or 0, rule)


def _cacheable(tokens: int, rule: CacheRule) -> int:
    return tokens // rule.step * rule.step if tokens >= rule.minimum else 0


def _below_minimum(before: CallFacts, after: CallFacts, rule: CacheRule) -> CacheMiss | None:
    """Only where a request asks for caching: else short prompts are as they should be."""
    tokens = before.prompt_tokens
    is_asked = rule.is_marked and before.marks.marks > 0 and after.marks.marks > 0
    if not is_asked or tokens is None or tokens >= rule.minimum or after.cached_tokens:
        return None
    return CacheMiss(MissCause.BELOW_MINIMUM, 0, 0, 0)


def _cause(
    before: CallFacts,
    after: CallFacts,
    rule: CacheRule,
    lapse_us: int | None,
    changed: int,
    unexplained: int,
) -> tuple[MissCause, tuple[str, ...]]:
    """Return cause and words; ``changed`` tokens stand behind the departure, others before."""
    if _is_over(lapse_us, rule.lifetime_seconds):
        return MissCause.EXPIRED, ()
    if other := _differing(before, after, ("vendor", "model", "upstream")):
        return MissCause.OTHER_ROUTE, other
    if before.marks.key != after.marks.key:
        return MissCause.OTHER_ROUTE, ("key",)
    # Where no lifetime is documented, a long time explains a miss as well as a change does.
    is_long = rule.lifetime_seconds is None and _is_over(lapse_us, LONG_SECONDS)
    is_behind = changed > 0 and (rule.is_whole or changed >= unexplained)
    if is_behind and not is_long:
        return MissCause.CHANGED, ()
    if other := _differing(before, after, ("tier", "fingerprint")):
        return MissCause.OTHER_ROUTE, other
    return MissCause.UNKNOWN, ()


def _is_over(lapse_us: int | None, seconds: int | None) -> bool:
    return lapse_us is not None and seconds is not None and lapse_us > seconds * 1_000_000


def _differing(before: CallFacts, after: CallFacts, names: tuple[str, ...]) -> tuple[str, ...]:
    pairs = ((name, getattr(before, name), getattr(after, name)) for name in names)
    return tuple(name for name, one, other in pairs if one and other and one != other)


def _is_due(cause: MissCause, rule: CacheRule, lapse_us: int | None) -> bool:
    if cause is MissCause.CHANGED:
        return False
    return cause is not MissCause.UNKNOWN or rule.is_best_effort or lapse_us is None
