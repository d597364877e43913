import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from inspector.archive.deletion import delete
from inspector.dashboard.usage.drift_feed import MAX_ENTRIES, build_drift_feed
from inspector.dashboard.usage.drift_sentences import drift_test_words
from inspector.usage.drift.changes import ChangeSide, DriftTest
from inspector.usage.drift.event_list import DriftEventRow
from inspector.usage.rollup.periods import Period
from tests.archive.samples import WHOLE, inspected
from tests.dashboard.usage.test_usage_page import page, words
from tests.people import Person
from tests.usage.past import WITH_REASONING, arrived, look

START = datetime(2026, 11, 1, tzinfo=UTC)
MONTH = Period(START, START + timedelta(days=30), 86_400)
CAPTURE = UUID("01900000-0000-7000-8000-000000000001")


FISHER = DriftTest(3e-9, before=ChangeSide(100, 0), since=ChangeSide(50, 50))
FISHER_WORDS = (
    "Fisher's exact test, p = 3e-09: none of 100 captures in the previous 7 days,"
    " 50 of 50 captures since"
)


def mark(day: float = 10, **other: Any) -> DriftEventRow:
    start = START + timedelta(days=day)
    told: dict[str, Any] = {
        "subject": "fields",
        "direction": "appeared",
        "vendor": "openai",
        "model": "gpt-4o",
        "value": "/choices/message/reasoning_content",
        "replaces_value": False,
        "replaced_value": None,
        "streamed": None,
        "start": start,
        "at": start + timedelta(minutes=10),
        "test": FISHER,
        "replaced_test": None,
        "captures": (CAPTURE,),
        **other,
    }
    return DriftEventRow(**told)


def said(*marks: DriftEventRow) -> str:
    (entry,) = build_drift_feed(marks, MONTH).entries
    return entry.words


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ({}, "reasoning_content appeared in answers of gpt-4o."),
        ({"direction": "vanished"}, "reasoning_content vanished from answers of gpt-4o."),
        ({"subject": "usage", "value": "/usage/cost"}, "cost appeared in the usage of gpt-4o."),
        (
            {
                "subject": "fingerprint",
                "value": "fp_b",
                "replaces_value": True,
                "replaced_value": "fp_a",
            },
            "Fingerprint of gpt-4o changed from fp_a to fp_b.",
        ),
        (
            {"subject": "fingerprint", "value": "fp_b", "replaces_value": True},
            "Fingerprint of gpt-4o changed from none sent to fp_b.",
        ),
        ({"subject": "tier", "value": "flex"}, "Service tier flex appeared in answers of gpt-4o."),
        (
            {"subject": "tier", "value": None},
            "Some answers without a service tier came from gpt-4o.",
        ),
        (
            {"subject": "alias", "value": "b", "replaces_value": True, "replaced_value": "a"},
            "gpt-4o is answered by b instead of a.",
        ),
        ({"subject": "alias", "value": "b"}, "gpt-4o is also answered by b."),
        (
            {"subject": "alias", "value": "b", "direction": "vanished"},
            "gpt-4o is no longer answered by b.",
        ),
        ({"model": None}, "reasoning_content appeared in answers of no named model."),
    ],
)
def test_a_change_is_a_sentence(told: dict[str, Any], sentence: str) -> None:
    assert said(mark(**told)) == sentence


@pytest.mark.parametrize(
    ("test", "sentence"),
    [
        (FISHER, FISHER_WORDS),
        (
            DriftTest(0, ChangeSide(1_200, 0), ChangeSide(1, 1)),
            "Fisher's exact test, p < 1e-300: none of 1,200 captures in the previous 7 days,"
            " 1 of 1 capture since",
        ),
    ],
)
def test_a_test_is_named_with_its_numbers(test: DriftTest, sentence: str) -> None:
    assert drift_test_words(mark(test=test)) == sentence


def test_the_test_of_a_replaced_value_is_told_too() -> None:
    gone = DriftTest(0.04, ChangeSide(30, 30), ChangeSide(8, 0))
    assert drift_test_words(mark(replaced_test=gone)) == (
        f"{FISHER_WORDS}. Replaced value: Fisher's exact test, p = 0.040:"
        " 30 of 30 captures in the previous 7 days, none of 8 captures since"
    )


def test_keys_that_came_together_are_one_entry_and_stand_for_those_below() -> None:
    paths = ("/usage/details", "/usage/details/a", "/usage/details/b", "/usage/cost")
    marks = [
        mark(subject="usage", value=path, streamed=kind) for path in paths for kind in (True, False)
    ]
    (entry,) = build_drift_feed(marks, MONTH).entries
    assert entry.words == "cost and details, with 2 fields below, appeared in the usage of gpt-4o."
    assert entry.tests == (f"streamed answers: {FISHER_WORDS}", f"whole answers: {FISHER_WORDS}")


def test_many_names_are_counted() -> None:
    marks = [mark(value=f"/k{number}") for number in range(9)]
    assert said(*marks) == "k0, k1, k2 and 6 more appeared in answers of gpt-4o."


def test_the_newest_has_the_first_letter_and_flags_stand_in_order_of_time() -> None:
    shown = build_drift_feed([mark(20), mark(10), mark(10.5, model="other"), mark(3)], MONTH)
    assert [entry.letter for entry in shown.entries] == ["A", "B", "C", "D"]
    # Ten minutes after each begins.
    assert [(flag.text, flag.x, flag.href) for flag in shown.flags] == [
        ("D", "10.023%", "#drift-D"),
        ("B–C", "33.356%", "#drift-B"),
        ("A", "66.690%", "#drift-A"),
    ]


def test_a_flag_stands_where_time_was_within_its_day() -> None:
    (flag,) = build_drift_feed([mark(10, at=START + timedelta(days=10, hours=12))], MONTH).flags
    assert (flag.x, flag.lines) == ("35.000%", ("35.000%",))


def test_flags_without_room_share_one_that_marks_each_of_their_days() -> None:
    months = Period(START, START + timedelta(days=100), 86_400)
    shown = build_drift_feed(
        [mark(day, at=START + timedelta(days=day)) for day in range(14, 9, -1)], months
    )
    assert [(flag.text, flag.row) for flag in shown.flags] == [("E", 0), ("D", 1), ("A–C", 2)]
    crowd = shown.flags[2]
    assert (crowd.x, crowd.lines) == ("12.000%", ("12.000%", "13.000%", "14.000%"))
    assert crowd.href == "#drift-A"
    assert crowd.words.startswith("A: ") and " B: " in crowd.words and " C: " in crowd.words


def test_flags_that_are_near_stand_above_each_other() -> None:
    shown = build_drift_feed([mark(day) for day in (13, 12, 11, 10, 3)], MONTH)
    assert [flag.row for flag in shown.flags] == [0, 0, 1, 2, 0]
    assert shown.rows == 3


def test_beyond_the_alphabet_entries_are_numbered_and_the_rest_is_elsewhere() -> None:
    shown = build_drift_feed([mark(30 - number * 0.7) for number in range(1, 40)], MONTH)
    assert len(shown.entries) == MAX_ENTRIES and not shown.is_all
    assert shown.entries[26].letter == "27"


def test_the_page_tells_what_changed_with_its_test_and_flags_it_in_every_drawing(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    arrived(owner, 30, 9)
    new = arrived(owner, 8, 2, WITH_REASONING)
    look()
    for person in (owner, teammate):
        html = page(person, "?range=24h")
        told = words(html)
        assert "reasoning_content appeared in answers of gpt-4o" in told
        assert (
            "none of 30 captures in the previous 7 days, 8 of 8 captures since." in told
            and "Whole answers: Fisher's exact test, p = " in html.replace("&#x27;", "'")
        )
        assert all(f'/captures/{capture_id}/"' in html for capture_id in new[:3])
        assert html.count('href="#drift-A"') == html.count('<div class="chart') == 4
        assert html.count('id="drift-A"') == 1
    inspected(stranger)
    assert "reasoning_content" not in page(stranger, "?range=24h")
    delete(owner.principal, new[0])
    assert str(new[0]) not in page(owner, "?range=24h")


def test_a_period_without_changes_says_so(owner: Person) -> None:
    inspected(owner)
    assert "No change in this period." in words(page(owner))


def test_hostile_names_are_text(owner: Person) -> None:
    model = WHOLE.replace(b'"gpt-4o"', b'"<script>alert(1)</script>"')
    arrived(owner, 30, 9, model)
    arrived(owner, 8, 2, model.replace(b'"index":0', b'"index":0,"<img src=x>":1'))
    look()
    html = page(owner)
    assert "&lt;img src=x&gt;" in html
    assert "<script>alert" not in html and "<img" not in re.sub(r"&lt;.*?&gt;", "", html)
