from datetime import UTC, datetime

from inspector.formatting.forecasts import forecast_words

AT = datetime(2026, 1, 2, 23, 59, tzinfo=UTC)


def test_what_would_be_deleted_is_counted_in_words() -> None:
    assert forecast_words("capture", 0, 0, None) == "nothing"
    assert forecast_words("capture", 0, 0, None, AT) == "nothing until 2026-01-02"
    assert forecast_words("capture", 1, 900, AT) == "1 capture, 900 B, the oldest of 2026-01-02"
    assert forecast_words("receipt", 2_000, 0, AT) == "2,000 receipts, the oldest of 2026-01-02"
