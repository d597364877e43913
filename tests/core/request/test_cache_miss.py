"""Caches accounted for by the rules that providers document: 200 cases, most of them made by rows of
a table, so that each can be read.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from inspector.core.request.cache_miss import CacheMiss, CallFacts, MissCause, cache_miss
from inspector.core.request.changes import Departure
from inspector.core.request.outline import CacheMarks, Section

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR
HIT, ALARM, DUE = "hit", "alarm", "due"


class Provider(NamedTuple):
    """A model with its least prefix and lifetime, as its provider documents them."""

    vendor: str
    model: str
    minimum: int
    lifetime: int | None
    is_marked: bool
    is_whole: bool = False
    """An entry is read whole or not at all."""


PROVIDERS = (
    Provider("openai", "gpt-4o", 1_024, 5 * MINUTE, is_marked=False),
    Provider("openai", "gpt-5.6", 1_024, 30 * MINUTE, is_marked=False),
    Provider("openai", "gpt-5.5", 1_024, DAY, is_marked=False),
    Provider("openai", "gpt-4.1", 1_024, None, is_marked=False),
    Provider("azure", "gpt-4.1", 1_024, 5 * MINUTE, is_marked=False),
    Provider("anthropic", "claude-sonnet-4-5", 1_024, 5 * MINUTE, is_marked=True, is_whole=True),
    Provider("anthropic", "claude-opus-4-5", 4_096, 5 * MINUTE, is_marked=True, is_whole=True),
    Provider("anthropic", "claude-3-5-haiku", 2_048, 5 * MINUTE, is_marked=True, is_whole=True),
    Provider("bedrock", "anthropic.claude-opus-5", 512, 5 * MINUTE, is_marked=True, is_whole=True),
    Provider("bedrock", "amazon.nova-pro", 1_000, 5 * MINUTE, is_marked=True, is_whole=True),
    Provider("gemini", "gemini-2.5-flash", 2_048, None, is_marked=False),
    Provider("vertexai", "gemini-3-pro", 4_096, None, is_marked=False),
    Provider("deepseek", "deepseek-chat", 64, HOUR, is_marked=False, is_whole=True),
)


class Case(NamedTuple):
    """``before`` tokens of the prompt before; ``read``: the part of it from the cache; ``kept``: the
    part of it that begins this prompt, None where all does.
    """

    name: str
    before: int
    read: float
    kept: float | None
    lapse: int | None
    other: dict[str, str]
    expected: str
    cause: MissCause | None


def cases_of(it: Provider) -> Iterator[Case]:
    long, short = it.minimum * 10, it.minimum - 1
    after = it.lifetime + 1 if it.lifetime else None
    blame = ALARM if it.is_marked else DUE
    yield Case("all read", long, 1.0, None, 10, {}, HIT, None)
    yield Case("all but a little", long, 0.95, None, 10, {}, HIT, None)
    yield Case("changed at the front", long, 0.0, 0.05, 10, {}, ALARM, MissCause.CHANGED)
    yield Case("changed in the middle", long, 0.5, 0.5, 10, {}, ALARM, MissCause.CHANGED)
    yield Case("changed at the very end", long, 0.97, 0.97, 10, {}, HIT, None)
    yield Case("unchanged, and not read", long, 0.0, None, 10, {}, blame, MissCause.UNKNOWN)
    late = (ALARM, MissCause.CHANGED) if it.is_whole else (DUE, MissCause.UNKNOWN)
    yield Case("changed late, and nothing read", long, 0.0, 0.9, 10, {}, *late)
    yield Case("nothing known of the time", long, 0.0, None, None, {}, DUE, MissCause.UNKNOWN)
    yield Case("another model", long, 0.0, None, 10, {"model": it.model + "-b"}, DUE,
               MissCause.OTHER_ROUTE)  # fmt: skip
    yield Case("another upstream", long, 0.0, 0.1, 10, {"upstream": "b"}, DUE,
               MissCause.OTHER_ROUTE)  # fmt: skip
    yield Case("another tier", long, 0.0, None, 10, {"tier": "flex"}, DUE, MissCause.OTHER_ROUTE)
    yield Case("another machine", long, 0.0, None, 10, {"fingerprint": "fp_b"}, DUE,
               MissCause.OTHER_ROUTE)  # fmt: skip
    yield Case("another tier, and read", long, 1.0, None, 10, {"tier": "flex"}, HIT, None)
    yield Case("changed, and another tier", long, 0.0, 0.05, 10, {"tier": "flex"}, ALARM,
               MissCause.CHANGED)  # fmt: skip
    if after is not None:
        yield Case("kept until the last second", long, 1.0, None, after - 1, {}, HIT, None)
        yield Case("expired", long, 0.0, None, after, {}, DUE, MissCause.EXPIRED)
        yield Case("expired, and changed", long, 0.0, 0.1, after, {}, DUE, MissCause.EXPIRED)
        yield Case("kept longer than promised", long, 1.0, None, after, {}, HIT, None)
    else:
        yield Case("hours later", long, 0.0, 0.1, 2 * HOUR, {}, DUE, MissCause.UNKNOWN)
    if not it.is_marked:
        yield Case("too short", short, 0.0, None, 10, {}, HIT, None)
        yield Case("too short, and changed", short, 0.0, 0.1, 10, {}, HIT, None)
    else:
        yield Case("too short, and marked", short, 0.0, None, 10, {}, DUE, MissCause.BELOW_MINIMUM)


CASES = [(it, case) for it in PROVIDERS for case in cases_of(it)]


def judged(it: Provider, case: Case) -> CacheMiss | None:
    facts: dict[str, Any] = {
        "vendor": it.vendor,
        "model": it.model,
        "upstream": "a",
        "tier": "default",
        "fingerprint": "fp_a",
    }
    marks = CacheMarks(marks=1) if it.is_marked else CacheMarks()
    written = case.before if it.is_marked and case.before >= it.minimum else None
    before = CallFacts(**facts, prompt_tokens=case.before, written_tokens=written, marks=marks)
    read = int(case.before * case.read)
    after = CallFacts(
        **{**facts, **case.other}, prompt_tokens=case.before + 500, cached_tokens=read, marks=marks
    )
    departs = None
    if case.kept is not None:
        departs = Departure(Section.HISTORY, "/messages/1", 1_000, case.kept)
    lapse = None if case.lapse is None else case.lapse * 1_000_000
    return cache_miss(before, after, departs, lapse)


def test_a_call_is_judged_by_the_documented_rules() -> None:
    wrong = []
    for it, case in CASES:
        found = judged(it, case)
        told = HIT if found is None else DUE if found.is_due else ALARM
        if (told, found and found.cause) != (case.expected, case.cause):
            wrong.append((it.model, case.name, told))
    assert wrong == []


def test_there_are_two_hundred_cases() -> None:
    assert len(CASES) >= 200


SONNET: dict[str, Any] = {"vendor": "anthropic", "model": "claude-sonnet-4-5"}


def test_what_was_marked_is_expected_to_the_token() -> None:
    marks = CacheMarks(marks=1)
    before = CallFacts(
        **SONNET, prompt_tokens=9_000, cached_tokens=3_000, written_tokens=5_000, marks=marks
    )
    after = CallFacts(**SONNET, prompt_tokens=9_500, cached_tokens=3_000, marks=marks)
    found = cache_miss(before, after, Departure(Section.RESULTS, "/messages/4", 1, 0.5), 1)
    assert found is not None
    assert (found.expected_tokens, found.missed_tokens) == (8_000, 5_000)
    assert found.section is Section.RESULTS and not found.is_derived


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # No count of the cache is no 0.
        (CallFacts(vendor="openai", model="gpt-4o", prompt_tokens=5_000),
         CallFacts(vendor="openai", model="gpt-4o", prompt_tokens=6_000)),
        # A failed call states no usage, and left nothing that one could expect.
        (CallFacts(vendor="openai", model="gpt-4o"),
         CallFacts(vendor="openai", model="gpt-4o", prompt_tokens=6_000, cached_tokens=0)),
        # Nothing is documented of this provider.
        (CallFacts(vendor="groq", model="llama", prompt_tokens=5_000),
         CallFacts(vendor="groq", model="llama", prompt_tokens=6_000, cached_tokens=0)),
        # Nothing was marked, so nothing was written.
        (CallFacts(**SONNET, prompt_tokens=5_000, written_tokens=0),
         CallFacts(**SONNET, prompt_tokens=6_000, cached_tokens=0)),
    ],
    ids=["count not sent", "failed before", "no rule", "no mark"],
)  # fmt: skip
def test_nothing_is_invented(before: CallFacts, after: CallFacts) -> None:
    assert cache_miss(before, after, None, 1_000_000) is None


@pytest.mark.parametrize(
    ("marks", "lapse", "cause"),
    [
        (CacheMarks(marks=1), 6 * MINUTE, MissCause.EXPIRED),
        (CacheMarks(marks=1, lasts_an_hour=True), 6 * MINUTE, MissCause.UNKNOWN),
        (CacheMarks(marks=1, lasts_an_hour=True), 61 * MINUTE, MissCause.EXPIRED),
    ],
)
def test_a_mark_may_ask_for_an_hour(marks: CacheMarks, lapse: int, cause: MissCause) -> None:
    before = CallFacts(**SONNET, prompt_tokens=5_000, written_tokens=5_000, marks=marks)
    after = CallFacts(**SONNET, prompt_tokens=6_000, cached_tokens=0, marks=marks)
    found = cache_miss(before, after, None, lapse * 1_000_000)
    assert found is not None and found.cause is cause


@pytest.mark.parametrize(
    ("model", "retention", "lapse", "cause"),
    [
        ("gpt-4.1", "24h", 2 * HOUR, MissCause.UNKNOWN),
        ("gpt-4.1", "24h", 25 * HOUR, MissCause.EXPIRED),
        ("gpt-4.1", "in_memory", 11 * MINUTE, MissCause.EXPIRED),
        ("gpt-4.1", "", 2 * HOUR, MissCause.UNKNOWN),
        ("gpt-5.6", "24h", 31 * MINUTE, MissCause.EXPIRED),
    ],
)
def test_a_request_may_ask_how_long(
    model: str, retention: str, lapse: int, cause: MissCause
) -> None:
    marks = CacheMarks(retention=retention)
    before = CallFacts(vendor="openai", model=model, prompt_tokens=5_000, marks=marks)
    after = CallFacts(
        vendor="openai", model=model, prompt_tokens=6_000, cached_tokens=0, marks=marks
    )
    found = cache_miss(before, after, None, lapse * 1_000_000)
    assert found is not None and found.cause is cause
