"""The measures that one capture adds to the sums.

Pure: an analysis and its rows in, names and numbers out. Invalid counts are never added. A count
larger than any model reads or writes, or than the whole it is part of, is a provider's mistake: a
measure of its own counts it, and it does not distort a month.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from inspector.archive.inspection.projection import ProjectionRows
from inspector.core.analysis import Analysis
from inspector.core.completion import Usage, known
from inspector.core.formats import is_read
from inspector.core.tokens.ledger import COUNT_PARTS, UsageLedger, ledger_of
from inspector.core.tokens.usage import PLACES, TOO_MANY_TOKENS
from inspector.usage.cost.billable import Billable, fingerprint_name, service_tier_name
from inspector.usage.cost.measures import cost_measures
from inspector.usage.cost.quantities import USAGE_FIELDS
from inspector.usage.cost.receipts import CostReceipt
from inspector.usage.measures import Measure, MeasureItems, Measures
from inspector.usage.rollup.dimensions import EXACT, SeriesKey
from inspector.usage.rollup.histogram import LARGEST, bucket_of
from inspector.usage.rollup.key_paths import KeyPaths, key_paths_of

TOKENS = tuple(PLACES)
"""All token counts of usage, under their wire names."""
MAX_FINISH_REASONS = 20
"""Most finish reasons of one capture that are counted apart."""


@dataclass(frozen=True, slots=True)
class Contribution:
    kind: SeriesKey
    measures: Measures
    keys: KeyPaths | None
    """The key paths that the value of ``Measure.KEYS`` is the digest of."""


def contribution_of(rows: ProjectionRows, bill: Billable, receipt: CostReceipt) -> Contribution:
    analysis = rows.analysis
    assert analysis is not None, "what is stored now was read now"
    keys = key_paths_of(analysis)
    given = {**dict(capture_measures(rows, analysis)), **dict(cost_measures(bill, receipt))}
    if keys is not None:
        given[Measure.KEYS, keys.name] = None
    return Contribution(series_key_of(rows, analysis), given, keys)


def series_key_of(rows: ProjectionRows, analysis: Analysis) -> SeriesKey:
    inspection = rows.inspection
    return SeriesKey(
        by=EXACT,
        model=inspection.model,
        request_model=inspection.request_model,
        vendor=inspection.vendor,
        dialect=inspection.dialect,
        key_id=inspection.capture.key_id,
        service_tier=service_tier_name(analysis),
        fingerprint=fingerprint_name(analysis),
    )


def capture_measures(rows: ProjectionRows, analysis: Analysis) -> MeasureItems:
    inspection = rows.inspection
    yield (Measure.CAPTURES, ""), None
    yield (Measure.VERDICT, str(inspection.verdict)), None
    yield (Measure.RESULT, str(inspection.result)), None
    if inspection.streamed:
        yield (Measure.STREAMED, ""), None
    reasons = list(dict.fromkeys(inspection.finish_reasons))
    for reason in reasons[:MAX_FINISH_REASONS]:
        yield (Measure.FINISH_REASON, reason), None
    if len(reasons) > MAX_FINISH_REASONS:
        yield (Measure.FURTHER_FINISH_REASONS, ""), None
    yield from _usage(rows, analysis)
    for measure, number in _numbers(rows, analysis).items():
        if number is not None and 0 <= number <= LARGEST:
            yield (measure, str(bucket_of(number))), None


def _usage(rows: ProjectionRows, analysis: Analysis) -> MeasureItems:
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
    yield from _counts_under_other_names(analysis.usage, counted)
    for counting in ledger.inclusions:
        count = getattr(analysis.usage, counting.part)
        if counting.counts_outside and count < TOO_MANY_TOKENS:
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


def _counts_under_other_names(usage: Usage, counted: Measures) -> MeasureItems:
    for name, *others in USAGE_FIELDS.values():
        found = (counted[key] for other in others if (key := (Measure.TOKENS, other)) in counted)
        count = next(found, None)
        if count is not None and not known(getattr(usage, name)):
            yield (Measure.OTHER_NAME, name), count


def _contradicting(usage: Usage, ledger: UsageLedger) -> Iterator[str]:
    """Parts that are counted inside prompt or completion and are larger than these."""
    beside = {counting.part for counting in ledger.inclusions if counting.counts_outside}
    for whole in ("prompt_tokens", "completion_tokens"):
        size = getattr(usage, whole)
        for part in COUNT_PARTS[whole] if known(size) else ():
            count = getattr(usage, part)
            if part not in beside and known(count) and count > size:
                yield part


def _numbers(rows: ProjectionRows, analysis: Analysis) -> dict[Measure, int | None]:
    inspection = rows.inspection
    gaps = analysis.timeline.gaps_us
    return {
        Measure.FIRST_TOKEN_US: inspection.first_token_us,
        Measure.DURATION_US: inspection.duration_us,
        Measure.GAP_US: gaps.p50 if gaps else None,
        Measure.BYTES: inspection.capture.byte_length,
    }
