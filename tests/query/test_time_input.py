from datetime import UTC, datetime, timedelta

import pytest

from inspector.query.time_input import parse_time

NOW = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-03-01T12:00:00Z", NOW - timedelta(minutes=30)),
        ("2026-03-01", datetime(2026, 3, 1, tzinfo=UTC)),
        ("2026-03-01t12:00:00z", NOW - timedelta(minutes=30)),
        ("2026-03-01 12:00:00Z", NOW - timedelta(minutes=30)),
        ("2026-03-01T13:00:00+01:00", NOW - timedelta(minutes=30)),
        ("2026-03-01T13:00:00 01:00", NOW - timedelta(minutes=30)),
        ("2026-03-01T11:00:00-01:00", NOW - timedelta(minutes=30)),
        ("2026-03-01T12:00:00.25Z", NOW - timedelta(minutes=29, seconds=59.75)),
        ("2026-03-01T12:00:00.000001999Z", NOW - timedelta(minutes=30) + timedelta(microseconds=1)),
        ("1772368200", NOW),
        ("1772368200.5", NOW + timedelta(seconds=0.5)),
        ("0", datetime(1970, 1, 1, tzinfo=UTC)),
        ("90s", NOW - timedelta(seconds=90)),
        ("5m", NOW - timedelta(minutes=5)),
        ("24h", NOW - timedelta(days=1)),
        ("7d", NOW - timedelta(days=7)),
        ("2w", NOW - timedelta(days=14)),
    ],
)
def test_a_moment_is_written_in_three_ways(text: str, moment: datetime) -> None:
    assert parse_time(text, NOW) == moment


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "tomorrow",
        "2026-3-1",
        "2026-02-30",
        "2026-03-01T12:00:00",
        "2026-02-30T12:00:00Z",
        "2026-03-01T25:00:00Z",
        "0001-01-01T00:00:00+23:59",
        "999999999999",
        "-1",
        "1e9",
        "999999w",
        "24 h",
        "٢٤h",
        "24h\n",
    ],
)
def test_what_is_no_moment_is_none(text: str) -> None:
    assert parse_time(text, NOW) is None
