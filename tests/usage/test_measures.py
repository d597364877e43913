"""Codes stored of sums and prices, each of which is known."""

import pytest

from inspector.usage.cost.unknown import CostUnknownReason
from inspector.usage.cost.unpriced import UnpricedKind
from inspector.usage.measures import (
    COST_MEASURES,
    HISTOGRAMS,
    Measure,
    decode_measures,
    encode_measures,
)
from inspector.usage.models import Octave, Price, UsageSum
from inspector.usage.rollup.queries import MeasureSum, MeasureSums
from tests.archive.samples import CUT, GEMINI, SSE, STREAM, WHOLE, inspected
from tests.people import Person


def test_measures_are_packed_and_unpacked() -> None:
    measures = {("captures", ""): None, ("tokens", "prompt_tokens"): 0, ("finish_reason", ""): None}
    assert decode_measures(encode_measures(measures)) == measures
    assert (
        encode_measures({(Measure.VERDICT, "complete"): None}) == b'[["verdict","complete",null]]'
    )


def test_what_was_counted_is_found_by_measure_and_value() -> None:
    two, one = MeasureSum(2, 9), MeasureSum(1, 0)
    sums = MeasureSums({("captures", ""): two, ("verdict", "a b"): one, ("verdict", "a"): two})
    assert (sums[Measure.CAPTURES], sums[Measure.VERDICT, "a b"]) == (two, one)
    assert (sums.total(Measure.CAPTURES), sums.total((Measure.VERDICT, "b"))) == (9, None)
    assert list(sums.by_value(Measure.VERDICT).items()) == [("a", 2), ("a b", 1)]
    assert sums[Measure.VERDICT] == MeasureSum()


@pytest.mark.both_stacks
def test_only_codes_are_stored(owner: Person) -> None:
    searching = b'"usage":{"num_search_queries":3,"citation_tokens":1,'
    for body in (
        WHOLE,
        GEMINI,
        CUT,
        WHOLE.replace(b'"usage":{', searching),
        WHOLE.replace(b"gpt-4o", b"parcel-1"),
        WHOLE.replace(b'"finish_reason":"stop"', b'"finish_reason":"captures"'),
    ):
        inspected(owner, body)
    inspected(owner, STREAM, SSE)
    rows = set(UsageSum.objects.values_list("measure", "value"))
    assert {measure for measure, _ in rows} <= {*Measure} - {*HISTOGRAMS}
    assert set(Octave.objects.values_list("measure", flat=True)) <= {*HISTOGRAMS}
    assert {value for measure, value in rows if measure == Measure.COST_UNKNOWN} == {
        CostUnknownReason.NO_USAGE,
        CostUnknownReason.NO_PRICE,
    }
    assert {value for measure, value in rows if measure == Measure.UNPRICED} == {
        UnpricedKind.SEARCHES,
        UnpricedKind.CITATIONS,
    }
    assert {reason for reason in Price.objects.values_list("reason", flat=True)} <= {
        *CostUnknownReason,
        None,
    }
    # A name from outside is never taken for a measure.
    assert (Measure.FINISH_REASON, "captures") in rows


def test_every_measure_of_cost_is_taken_back_when_prices_change() -> None:
    of_cost = {each for each in Measure if each.name.startswith("COST_")} | {Measure.UNPRICED}
    assert of_cost == COST_MEASURES
