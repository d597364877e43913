"""What one capture adds to the sums. Pure: an analysis and its rows in, names and numbers out.

A count that is no count is never added. One larger than any model reads or writes, or larger than
the whole it stands in, is a provider's mistake: told by its own measure, it does not spoil a month.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from inspector.archive.projection import NAME_CHARACTERS, Rows
from inspector.archive.text import name_or_none
from inspector.core.analysis import Analysis
from inspector.core.completion import Usage, known
from inspector.core.dialects import is_read
from inspector.core.ledger import PARTS, Ledger, ledger_of
from inspector.core.usage import PLACES, TOO_MANY_TOKENS
from inspector.usage.alike import EXACT, Kind
from inspector.usage.bills import Bill, told_tier
from inspector.usage.cost import cost_measures
from inspector.usage.histogram import LARGEST, bucket_of
from inspector.usage.keys import Keys, keys_of
from inspector.usage.measures import Measure, MeasureItems, Measures
from inspector.usage.quantities import COUNTED
from inspector.usage.receipts import Receipt

TOKENS = tuple(PLACES)
"""Every kind of tokens that usage counts, under its wire name."""
FINGERPRINT_CHARACTERS = 200
FINISH_MEASURES = 20
"""Reasons of one capture that are told apart."""


@dataclass(frozen=True, slots=True)
class Told:
    kind: Kind
    measures: Measures
    keys: Keys | None
    """What the value of ``Measure.KEYS`` stands for."""


def told(rows: Rows, bill: Bill, receipt: Receipt) -> Told:
    analysis = rows.analysis
    assert analysis is not None, "what is stored now was read now"
    keys = keys_of(analysis)
    given = {**dict(measures(rows, analysis)), **dict(cost_measures(bill, receipt))}
    if keys is not None:
        given[Measure.KEYS, keys.name] = None
    return Told(kind_of(rows, analysis), given, keys)


def kind_of(rows: Rows, analysis: Analysis) -> Kind:
    inspection = rows.inspection
    return Kind(
        by=EXACT,
        model=inspection.model,
        request_model=inspection.request_model,
        vendor=inspection.vendor,
        dialect=inspection.dialect,
        key_id=inspection.capture.key_id,
        service_tier=name_or_none(told_tier(analysis), NAME_CHARACTERS) or None,
        fingerprint=name_or_none(_sent(analysis, "system_fingerprint"), FINGERPRINT_CHARACTERS)
        or None,
    )


def measures(rows: Rows, analysis: Analysis) -> MeasureItems:
    inspection = rows.inspection
    yield (Measure.CAPTURES, ""), None
    yield (Measure.VERDICT, str(inspection.verdict)), None
    if inspection.streamed:
        yield (Measure.STREAMED, ""), None
    reasons = list(dict.fromkeys(inspection.finish_reasons))
    for reason in reasons[:FINISH_MEASURES]:
        yield (Measure.FINISH_REASON, reason), None
    if len(reasons) > FINISH_MEASURES:
        yield (Measure.FURTHER_FINISH_REASONS, ""), None
    yield from _usage(rows, analysis)
    for measure, number in _numbers(rows, analysis).items():
        if number is not None and 0 <= number <= LARGEST:
            yield (measure, str(bucket_of(number))), None


def _usage(rows: Rows, analysis: Analysis) -> MeasureItems:
    if not rows.inspection.usage_reported:
        if not is_read(analysis.dialect):
            yield (Measure.USAGE_NOT_READ, ""), None
            return
        yield (Measure.NO_USAGE, str(rows.inspection.verdict)), None
        return
    yield (Measure.USAGE_REPORTED, ""), None
    ledger = ledger_of(analysis)
    counted = dict(_counts(analysis.usage, frozenset(_contradicting(analysis.usage, ledger))))
    yield from counted.items()
    yield from _named_otherwise(analysis.usage, counted)
    for counting in ledger.countings:
        count = getattr(analysis.usage, counting.part)
        if counting.adds_up_beside and count < TOO_MANY_TOKENS:
            yield (Measure.BESIDE, counting.part), count


def _counts(usage: Usage, contradicting: Collection[str]) -> MeasureItems:
    for name in TOKENS:
        count = getattr(usage, name)
        if not known(count):
            continue
        if count >= TOO_MANY_TOKENS:
            yield (Measure.TOO_LARGE, name), None
        elif name in contradicting:
            yield (Measure.CONTRADICTING, name), None
        else:
            yield (Measure.TOKENS, name), count


def _named_otherwise(usage: Usage, counted: Measures) -> MeasureItems:
    for name, *others in COUNTED.values():
        found = (counted[key] for other in others if (key := (Measure.TOKENS, other)) in counted)
        count = next(found, None)
        if count is not None and not known(getattr(usage, name)):
            yield (Measure.OTHER_NAME, name), count


def _contradicting(usage: Usage, ledger: Ledger) -> Iterator[str]:
    """Parts that are counted inside prompt or completion and are larger than these."""
    beside = {counting.part for counting in ledger.countings if counting.adds_up_beside}
    for whole in ("prompt_tokens", "completion_tokens"):
        size = getattr(usage, whole)
        for part in PARTS[whole] if known(size) else ():
            count = getattr(usage, part)
            if part not in beside and known(count) and count > size:
                yield part


def _numbers(rows: Rows, analysis: Analysis) -> dict[Measure, int | None]:
    inspection = rows.inspection
    gaps = analysis.timeline.gaps_us
    return {
        Measure.FIRST_TOKEN_US: inspection.first_token_us,
        Measure.DURATION_US: inspection.duration_us,
        Measure.GAP_US: gaps.p50 if gaps else None,
        Measure.BYTES: inspection.capture.byte_length,
    }


def _sent(analysis: Analysis, name: str) -> Any:
    completion = analysis.completion
    return completion.get(name) if isinstance(completion, dict) else None
