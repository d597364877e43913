"""The measures that one capture adds to the sums.

Pure: an analysis and its rows in, names and numbers out. Invalid counts are never added. A count
larger than any model reads or writes, or than the whole it is part of, is a provider's mistake: a
measure of its own counts it, and it does not distort a month. The cost of every capture is either
computed or unknown for exactly one reason, so the two counts add up to all captures.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from inspector.archive.inspection.projection import ProjectionRows
from inspector.core.analysis import Analysis
from inspector.core.completion import TOKEN_COUNTS, Usage, known
from inspector.core.tokens.ledger import COUNT_PARTS, UsageLedger, ledger_of
from inspector.core.tokens.usage import TOO_MANY_TOKENS
from inspector.usage.cost.billable import Billable, fingerprint_name, tier_names
from inspector.usage.cost.money import ticks
from inspector.usage.cost.quantities import USAGE_FIELDS
from inspector.usage.cost.receipts import CostReceipt
from inspector.usage.cost.unknown import CostUnknownReason
from inspector.usage.measures import COST_MEASURES, Measure, MeasureItems, MeasureKey, Measures
from inspector.usage.rollup.dimensions import EXACT, SeriesKey
from inspector.usage.rollup.field_paths import FieldPaths, field_paths_of
from inspector.usage.rollup.histogram import LARGEST, bucket_of

MAX_FINISH_REASONS = 20
"""Finish reasons of one capture: a sender may make up another one for each choice."""


@dataclass(frozen=True, slots=True)
class Contribution:
    series_key: SeriesKey
    measures: Measures
    fields: FieldPaths | None
    """The field paths that the value of ``Measure.FIELDS`` is the digest of."""


def contribution_of(rows: ProjectionRows, billable: Billable, receipt: CostReceipt) -> Contribution:
    analysis = rows.analysis
    assert analysis is not None, "what is stored now was read now"
    fields = field_paths_of(analysis)
    measures = dict(capture_measures(rows, analysis)) | dict(cost_measures(billable, receipt))
    if fields is not None:
        measures[Measure.FIELDS, fields.name] = None
    return Contribution(series_key_of(rows, analysis), measures, fields)


def series_key_of(rows: ProjectionRows, analysis: Analysis) -> SeriesKey:
    inspection, tiers = rows.inspection, tier_names(analysis)
    return SeriesKey(
        by=EXACT,
        model=inspection.model,
        request_model=inspection.request_model,
        named_model=inspection.named_model,
        vendor=inspection.vendor,
        dialect=inspection.dialect,
        key_id=inspection.capture.key_id,
        service_tier=tiers.service_tier,
        other_service_tier=tiers.other_service_tier,
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
        yield (Measure.NO_USAGE, str(rows.inspection.verdict)), None
        return
    yield (Measure.USAGE_REPORTED, ""), None
    yield from token_measures(analysis.usage, ledger_of(analysis))


def token_measures(usage: Usage, ledger: UsageLedger) -> MeasureItems:
    """Yield the counts of one answer, under the same names whatever its format."""
    counted = dict(_counts(usage, frozenset(_contradicting(usage, ledger))))
    yield from counted.items()
    yield from _counts_under_other_names(usage, counted)
    for counting in ledger.inclusions:
        count = getattr(usage, counting.part)
        if counting.counts_outside and count < TOO_MANY_TOKENS:
            yield (Measure.COUNTED_OUTSIDE, counting.part), count


def _counts(usage: Usage, contradicting: Collection[str]) -> MeasureItems:
    for name in TOKEN_COUNTS:
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
    outside = {each.part for each in ledger.inclusions if each.counts_outside}
    for whole in ("prompt_tokens", "completion_tokens"):
        size = getattr(usage, whole)
        for part in COUNT_PARTS[whole] if known(size) else ():
            count = getattr(usage, part)
            if part not in outside and known(count) and count > size:
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


def cost_measures(billable: Billable, receipt: CostReceipt) -> MeasureItems:
    computed, stated = ticks(receipt.total_usd), ticks(receipt.stated_usd)
    if computed is None:
        yield (Measure.COST_UNKNOWN, str(receipt.reason or CostUnknownReason.TOO_LARGE)), None
    else:
        yield from _computed(receipt, computed)
    yield from _stated(billable, stated)
    if computed is not None and stated is not None:
        yield from _both(receipt, computed, stated)
    if receipt.is_contradicted:
        yield (Measure.COST_CONTRADICTS_STATED, ""), None


def _computed(receipt: CostReceipt, computed: int) -> MeasureItems:
    yield (Measure.COST_COMPUTED, ""), computed
    yield (Measure.COST_TABLE, receipt.table), None
    if receipt.is_lower_bound:
        yield (Measure.COST_LOWER_BOUND, ""), computed
    for kind in dict.fromkeys(item.kind for item in receipt.unpriced_items):
        yield (Measure.UNPRICED, str(kind)), None


def _both(receipt: CostReceipt, computed: int, stated: int) -> MeasureItems:
    yield (Measure.COST_BOTH_STATED, ""), stated
    yield (Measure.COST_BOTH_COMPUTED, ""), computed
    if receipt.is_lower_bound:
        yield (Measure.COST_BOTH_LOWER_BOUND, ""), computed


def _stated(billable: Billable, stated: int | None) -> MeasureItems:
    if stated is not None:
        yield (Measure.COST_STATED, ""), stated
    elif billable.stated.is_partial:
        yield (Measure.COST_STATED_PARTLY, ""), None
    elif billable.stated.is_odd:
        yield (Measure.COST_STATED_ODD, ""), None


def without_cost(measures: Measures) -> dict[MeasureKey, int | None]:
    return {key: number for key, number in measures.items() if key[0] not in COST_MEASURES}
