from inspector.usage.rollup.queries import MeasureSum, MeasureSums, UsageGroup, UsageGroups
from inspector.usage.rollup.tables import COLUMNS, rows_of, usd


def test_a_row_has_a_cell_for_every_column_and_none_where_nothing_was_told() -> None:
    sums = MeasureSums(
        {("captures", ""): MeasureSum(3, 0), ("tokens", "prompt_tokens"): MeasureSum(2, 0)}
    )
    ((name, *cells),) = rows_of(UsageGroups((UsageGroup("m", sums),)))
    row = dict(zip(COLUMNS, cells, strict=True))
    assert name == "m"
    assert row["captures"] == 3
    assert (row["prompt_tokens"], row["prompt_tokens_captures"]) == (0, 2)
    assert (row["completion_tokens"], row["completion_tokens_captures"]) == (None, 0)
    assert row["stated_usd"] is None


def test_a_name_that_a_spreadsheet_would_compute_is_text() -> None:
    for name, expected in (
        ("=1+1", "'=1+1"),
        ("@x", "'@x"),
        ("x;=cmd|calc!A1", "x;'=cmd|calc!A1"),
        ("x\t=1+1", "x\t'=1+1"),
        ("x\n-1", "x\n'-1"),
        ("\n=1", "'\n'=1"),
        ("gpt-4o", "gpt-4o"),
        ("a;b", "a;b"),
    ):
        ((shown, *_),) = rows_of(UsageGroups((UsageGroup(name, MeasureSums()),)))
        assert shown == expected


def test_the_last_row_says_how_many_are_not_listed_where_some_are_not() -> None:
    for others, expected in ((0, []), (2_000, ["2000 more, not listed"])):
        rows = list(rows_of(UsageGroups((UsageGroup("m", MeasureSums()),), others)))
        assert [row[0] for row in rows] == ["m", *expected]
        assert {len(row) for row in rows} == {1 + len(COLUMNS)}
        assert not any(any(row[1:]) for row in rows[1:])


def test_money_is_written_exactly() -> None:
    assert [usd(n) for n in (0, 1, 10**10, 1_234_560_000_000)] == [
        "0",
        "0.0000000001",
        "1",
        "123.456",
    ]
