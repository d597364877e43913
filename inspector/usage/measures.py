"""Codes of the measures that are counted and added up.

Pure. A sum belongs to a measure and a value of it, such as ``(verdict, complete)``, ``(tokens,
prompt_tokens)``, ``(cost_unknown, no_price)``. The value is empty for measures without one.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import TypeAlias

import msgspec


class Measure(StrEnum):
    """Codes of measures, as stored; the comment beside each names its value."""

    CAPTURES = "captures"
    STREAMED = "streamed"
    VERDICT = "verdict"  # the verdict
    RESULT = "result"  # the result
    FINISH_REASON = "finish_reason"  # the reason as it was sent
    # Captures with reasons that are not counted apart: beyond so many of their own, or
    # beyond those of their day (``inspector.usage.rollup.finish_reasons``).
    FURTHER_FINISH_REASONS = "further_finish_reasons"
    USAGE_REPORTED = "usage_reported"
    NO_USAGE = "no_usage"  # the verdict
    TOKENS = "tokens"  # the count's name in ``Usage``
    # Counts that no model reaches.
    TOO_LARGE = "too_large"  # the count's name
    # Parts that are larger than the whole they stand in: one of the two is wrong.
    CONTRADICTING = "contradicting"  # the part's name
    # Parts that their vendor counts beside the whole: there the whole is larger by them.
    COUNTED_OUTSIDE = "counted_outside"  # the part's name
    # Counts that a capture has under another of their names alone (``USAGE_FIELDS``): added to
    # those in ``TOKENS``, they are of each capture once.
    OTHER_NAME = "other_name"  # the first of the names
    FIELDS = "fields"  # the digest of the set; empty for sets that are not counted apart
    COST_COMPUTED = "cost_computed"
    COST_UNKNOWN = "cost_unknown"  # a ``CostUnknownReason``
    COST_TABLE = "cost_table"  # the name of the price table
    # Captures whose computed cost leaves out something billed, with that cost; and what it leaves
    # out.
    COST_LOWER_BOUND = "cost_lower_bound"
    UNPRICED = "unpriced"  # an ``UnpricedKind``
    COST_STATED = "cost_stated"
    # Captures of which some choices state a cost and others none: there is no amount of the whole,
    # so none is added.
    COST_STATED_PARTLY = "cost_stated_partly"
    # Captures that state what no response could cost.
    COST_STATED_ODD = "cost_stated_odd"
    COST_CONTRADICTS_STATED = "cost_contradicts_stated"
    # Of the captures that both state a cost and have one computed: like with like.
    COST_BOTH_STATED = "cost_both_stated"
    COST_BOTH_COMPUTED = "cost_both_computed"
    # Of these, the computed costs that leave out something billed.
    COST_BOTH_LOWER_BOUND = "cost_both_lower_bound"
    # Histograms. What a capture gives to one has the number of its bucket as the value.
    FIRST_TOKEN_US = "first_token_us"
    DURATION_US = "duration_us"
    GAP_US = "gap_us"
    BYTES = "bytes"


HISTOGRAMS = (Measure.FIRST_TOKEN_US, Measure.DURATION_US, Measure.GAP_US, Measure.BYTES)
COST_MEASURES = frozenset(
    {
        Measure.COST_COMPUTED,
        Measure.COST_UNKNOWN,
        Measure.COST_TABLE,
        Measure.COST_LOWER_BOUND,
        Measure.UNPRICED,
        Measure.COST_STATED,
        Measure.COST_STATED_PARTLY,
        Measure.COST_STATED_ODD,
        Measure.COST_CONTRADICTS_STATED,
        Measure.COST_BOTH_STATED,
        Measure.COST_BOTH_COMPUTED,
        Measure.COST_BOTH_LOWER_BOUND,
    }
)
"""The measures that depend on prices."""

MeasureKey: TypeAlias = tuple[str, str]
"""A measure and its value. What another release stored may be a measure that is unknown here."""
Measures: TypeAlias = Mapping[MeasureKey, int | None]
"""The measures of one capture; None for those that only count captures."""
MeasureItem: TypeAlias = tuple[str, str, int | None]
"""A measure with its value and its number."""
MeasureItems: TypeAlias = Iterator[tuple[MeasureKey, int | None]]


def encode_measures(measures: Measures) -> bytes:
    """JSON of measures: ``[["verdict","complete",null],["tokens","prompt_tokens",12]]``."""
    return msgspec.json.encode([(*key, number) for key, number in measures.items()])


def decode_items(text: bytes) -> list[MeasureItem]:
    return _DECODER.decode(text)


def decode_measures(text: bytes) -> dict[MeasureKey, int | None]:
    return {(measure, value): number for measure, value, number in decode_items(text)}


_DECODER = msgspec.json.Decoder(list[tuple[str, str, int | None]])
