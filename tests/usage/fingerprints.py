"""Sums as answers leave them that share their fingerprint with no other, without the answers."""

from collections.abc import Iterable

from inspector.usage.models import DAY_SECONDS, HOUR_SECONDS, Octave, UsageSeries, UsageSum
from inspector.usage.rollup.dimensions import ALL, EXACT, SeriesKey
from inspector.usage.rollup.periods import Period
from tests.people import Person

TOKENS_EACH = 7


def counted(person: Person, period: Period, captures: Iterable[int]) -> None:
    """A fingerprint for each number of captures: ``fp_0``, ``fp_1``, …. In the midst of the period,
    which may begin and end a slot later when somebody asks for it.
    """
    numbers = tuple(captures)
    by = EXACT if period.is_by_the_hour else "fingerprint"
    kinds = [SeriesKey(by=by, fingerprint=f"fp_{at}") for at in range(len(numbers))]
    made = UsageSeries.objects.bulk_create(
        UsageSeries(team=person.team, by=by, digest=kind.digest, fingerprint=kind.fingerprint)
        for kind in kinds
    )
    every = UsageSeries.objects.create(team=person.team, by=ALL, digest=SeriesKey(by=ALL).digest)
    pairs = [*zip(made, numbers, strict=True), (every, sum(numbers))]
    rows = [row for pair in pairs for row in sums_of(period, *pair)]
    UsageSum.objects.bulk_create(rows)
    Octave.objects.bulk_create(octave_of(period, *pair) for pair in pairs)


def sums_of(period: Period, series: UsageSeries, captures: int) -> Iterable[UsageSum]:
    here = place(period, series)
    for measure in ("captures", "usage_reported"):
        yield UsageSum(**here, measure=measure, captures=captures, total=0)
    total = captures * TOKENS_EACH
    yield UsageSum(**here, measure="tokens", value="prompt_tokens", captures=captures, total=total)


def octave_of(period: Period, series: UsageSeries, captures: int) -> Octave:
    buckets = dict.fromkeys((f"n{at}" for at in range(1, 8)), 0)
    return Octave(**place(period, series), measure="bytes", octave=8, n0=captures, **buckets)


def place(period: Period, series: UsageSeries) -> dict[str, object]:
    return {
        "team_id": series.team_id,
        "by": series.by,
        "series": series,
        "span_seconds": HOUR_SECONDS if period.is_by_the_hour else DAY_SECONDS,
        "start": period.slots[len(period.slots) // 2],
    }
