"""Formats times, sizes, counts and money for people, on pages and in the terminal."""

from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation

UNKNOWABLE = "–"
"""Shown for a value that cannot be known, as opposed to one that was not sent."""
SHORTEST_IN_SECONDS_US = 100_000
"""With two decimals a shorter time would lose what tells it from another."""
SMALLEST_USD = Decimal("0.0001")
"""Smaller amounts are shown as "less than" in narrow columns."""


def count(value: int) -> str:
    """Format ``1846`` as ``1,846``."""
    return f"{value:,}"


def seconds(us: int | None) -> str:
    """Format microseconds as ``0.655 s``."""
    return UNKNOWABLE if us is None else f"{us / 1_000_000:,.3f} s"


def tenths(us: int) -> str:
    """Format microseconds as ``15.9 s``, rounded down: for what counts up."""
    return f"{us // 100_000 / 10:,.1f} s"


def plain_seconds(us: int) -> str:
    """Format microseconds as ``0.655``, for a column that names the unit."""
    return f"{us / 1_000_000:,.3f}"


def short_seconds(us: int | None) -> str:
    """Format microseconds as ``0.66``, ``0.039`` under 0.1 s, for a column that names the unit."""
    if us is None:
        return UNKNOWABLE
    if 0 < us < 500:
        return "<0.001"
    return f"{us / 1_000_000:,.{3 if 0 < us < SHORTEST_IN_SECONDS_US else 2}f}"


def short_time(us: int) -> str:
    """Format a length of time as ``0.66 s``, ``39 ms`` under 0.1 s, and ``0 s``."""
    if 0 < us < SHORTEST_IN_SECONDS_US:
        return milliseconds(us)
    return f"{short_seconds(us) if us else 0} s"


def milliseconds(us: int) -> str:
    """Format microseconds as ``39 ms``, with one decimal below ten."""
    ms = us / 1000
    return f"{ms:,.0f} ms" if ms >= 10 else f"{ms:.1f} ms"


def rate(a_second: float) -> str:
    """Format a rate per second as ``1,284``, with one decimal below ten."""
    return f"{a_second:,.0f}" if a_second >= 10 else f"{a_second:.1f}"


def size(length: int) -> str:
    """Format bytes as ``812 B``, ``38.1 kB`` or ``2.4 MB``."""
    if length < 1000:
        return f"{length} B"
    if length < 1_000_000:
        return f"{length / 1000:,.1f} kB"
    return f"{length / 1_000_000:,.1f} MB"


def age(then: datetime, now: datetime | None = None) -> str:
    """Time since a moment in one unit, rounded down: ``38 s``; ages.js has the same rule."""
    past = int(((now or datetime.now(UTC)) - then).total_seconds())
    if past < 2:
        return "now"
    for limit, length, unit in ((60, 1, "s"), (3600, 60, "m"), (86_400, 3600, "h")):
        if past < limit:
            return f"{past // length} {unit}"
    return f"{past // 86_400} d"


def elapsed(then: datetime, now: datetime | None = None) -> str:
    """Whole seconds since a moment, in a column with the unit; ages.js has the same rule."""
    return str(max(0, int(((now or datetime.now(UTC)) - then).total_seconds())))


def so_far(length: int, since: datetime, now: datetime | None = None) -> str:
    """How much has come since a moment, such as ``12.3 kB so far, since 3 s``."""
    past = age(since, now)
    return f"{size(length)} so far, {'just begun' if past == 'now' else f'since {past}'}"


def moment(then: datetime) -> str:
    """Format a moment as ``20 Nov 2026, 14:02:19 UTC``."""
    utc = then.astimezone(UTC)
    return f"{utc.day} {utc:%b %Y, %H:%M:%S} UTC"


def exact_moment(then: datetime) -> str:
    """Format a moment as ``20 Nov 2026, 14:02:19.5 UTC``, to the microsecond."""
    utc = then.astimezone(UTC)
    return f"{f'{utc.day} {utc:%b %Y, %H:%M:%S.%f}'.rstrip('0').rstrip('.')} UTC"


def short_id(value: object) -> str:
    """Last characters of a UUIDv7; the first ones are equal for captures of the same minute."""
    return str(value)[-12:]


def usd(text: str) -> str:
    """Format stated money with its digits unchanged."""
    return f"${text}"


def short_usd(text: str) -> str:
    """Money for a narrow column: four decimals, ``<$0.0001`` if smaller."""
    try:
        amount = Decimal(text)
    except InvalidOperation:
        return text
    if not amount.is_finite() or amount.adjusted() > 12:
        return text
    if amount == 0:
        return "$0"
    return f"<${SMALLEST_USD}" if 0 < amount < SMALLEST_USD else f"${amount:.4f}"


def three_digits_usd(amount: Decimal) -> str:
    """Money as a figure to read: three significant digits, to the cent from $1 on."""
    if abs(amount) >= 1 or not amount:
        return f"${amount:,.2f}" if amount else "$0"
    return f"${Decimal(f'{amount:.2e}').normalize():f}"


def least_usd(text: str) -> str:
    """Money as a lower bound: four decimals, or one significant digit if smaller."""
    short = short_usd(text)
    return f"${Decimal(f'{Decimal(text):.0e}'):f}" if short.startswith("<") else short


def clock(then: datetime) -> str:
    """Format the time of a moment as ``14:02:19``, in UTC."""
    return f"{then.astimezone(UTC):%H:%M:%S}"


def plural(number: int, one: str, many: str | None = None) -> str:
    """``1 event``, ``2 events``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def css_percent(number: float) -> str:
    return f"{number:.3f}%"


def day_words(moment: datetime) -> str:
    return f"{moment:%a} {moment.day} {moment:%b}"


def iso_utc(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def share(part: int, whole: int) -> str:
    """Format a percentage; 0 % and 100 % only if exact."""
    if part in (0, whole) or not whole:
        return "100 %" if part else "0 %"
    percent = round(100 * part / whole)
    return "under 1 %" if percent < 1 else "over 99 %" if percent > 99 else f"{percent} %"


def short_number(number: int) -> str:
    """Format ``1,846`` or ``39.5 M``: about three significant digits from 100,000 on."""
    for power, unit in ((10**12, "T"), (10**9, "G"), (10**6, "M")):
        # A number that rounds up to the next unit uses that unit.
        if number >= 99.95 * power:
            return f"{round(number / power):,} {unit}"
        if number >= power - power // 2_000:
            return f"{number / power:.1f} {unit}"
    return f"{number:,}" if number < 100_000 else f"{round(number / 1000)} k"
