import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from inspector.archive.deletion import delete
from inspector.dashboard.usage.drift_feed import MAX_ENTRIES, build_drift_feed
from inspector.usage.drift.changes import ChangeSide
from inspector.usage.drift.event_list import DriftEventRow
from inspector.usage.rollup.periods import Period
from tests.archive.samples import WHOLE, inspected
from tests.dashboard.usage.test_usage_page import page, words
from tests.people import Person
from tests.usage.past import WITH_REASONING, arrived, look

START = datetime(2026, 11, 1, tzinfo=UTC)
MONTH = Period(START, START + timedelta(days=30), 86_400)
CAPTURE = UUID("01900000-0000-7000-8000-000000000001")


def mark(day: float = 10, **other: Any) -> DriftEventRow:
    start = START + timedelta(days=day)
    told: dict[str, Any] = {
        "subject": "keys",
        "direction": "appeared",
        "vendor": "openai",
        "model": "gpt-4o",
        "what": "/choices/message/reasoning_content",
        "replaces_value": False,
        "replaces": None,
        "streamed": None,
        "start": start,
        "at": start + timedelta(minutes=10),
        "before": ChangeSide(100, 0),
        "since": ChangeSide(50, 50),
        "test": "none before, all since",
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
        (
            {"subject": "usage", "what": "/usage/cost"},
            "cost appeared in the usage of gpt-4o.",
        ),
        (
            {"subject": "fingerprint", "what": "fp_b", "replaces_value": True, "replaces": "fp_a"},
            "Fingerprint of gpt-4o changed from fp_a to fp_b.",
        ),
        (
            {"subject": "fingerprint", "what": "fp_b", "replaces_value": True},
            "Fingerprint of gpt-4o changed from none sent to fp_b.",
        ),
        ({"subject": "tier", "what": "flex"}, "Service tier flex appeared in answers of gpt-4o."),
        (
            {"subject": "tier", "what": None},
            "Some answers without a service tier came from gpt-4o.",
        ),
        (
            {"subject": "alias", "what": "b", "replaces_value": True, "replaces": "a"},
            "gpt-4o is answered by b instead of a.",
        ),
        ({"subject": "alias", "what": "b"}, "gpt-4o is also answered by b."),
        (
            {"subject": "alias", "what": "b", "direction": "vanished"},
            "gpt-4o is no longer answered by b.",
        ),
        (
            {
                "subject": "finish",
                "what": "length",
                "direction": "rose",
                "before": ChangeSide(100, 3),
                "since": ChangeSide(50, 10),
            },
            "Finish reason length rose from 3 % to 20 % in answers of gpt-4o.",
        ),
        (
            {
                "subject": "first_token",
                "what": None,
                "direction": "slower",
                "before": ChangeSide(9, 520_000),
                "since": ChangeSide(9, 910_000),
            },
            "First token of gpt-4o rose from 0.52 s to 0.91 s at the median.",
        ),
        ({"model": None}, "reasoning_content appeared in answers of no named model."),
    ],
)
def test_a_change_is_a_sentence(told: dict[str, Any], sentence: str) -> None:
    assert said(mark(**told)) == sentence


def test_keys_that_came_together_are_one_entry_and_stand_for_those_below() -> None:
    paths = ("/usage/details", "/usage/details/a", "/usage/details/b", "/usage/cost")
    marks = [
        mark(subject="usage", what=path, streamed=kind) for path in paths for kind in (True, False)
    ]
    (entry,) = build_drift_feed(marks, MONTH).entries
    assert entry.words == "cost and details, with 2 keys below, appeared in the usage of gpt-4o."
    assert entry.tests == (
        "streamed answers: none before, all since",
        "whole answers: none before, all since",
    )


def test_many_names_are_counted() -> None:
    marks = [mark(what=f"/k{number}") for number in range(9)]
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
            "Whole answers: none of 30 captures in the 7 days before, 8 of 8 since; Fisher" in told
        )
        assert all(f'/captures/{capture_id}/"' in html for capture_id in new[:3])
        assert html.count('href="#drift-A"') == html.count('<div class="chart') == 4
        assert html.count('id="drift-A"') == 1
    inspected(stranger)
    assert "reasoning_content" not in page(stranger, "?range=24h")
    delete(owner.principal, new[0])
    assert str(new[0]) not in page(owner, "?range=24h")


def test_a_period_without_changes_says_what_was_watched(owner: Person) -> None:
    inspected(owner)
    told = words(page(owner))
    assert "No significant change in this period." in told
    assert "need 30 captures in the 7 days before and 5 since" in told


def test_hostile_names_are_text(owner: Person) -> None:
    model = WHOLE.replace(b'"gpt-4o"', b'"<script>alert(1)</script>"')
    arrived(owner, 30, 9, model)
    arrived(owner, 8, 2, model.replace(b'"index":0', b'"index":0,"<img src=x>":1'))
    look()
    html = page(owner)
    assert "&lt;img src=x&gt;" in html
    assert "<script>alert" not in html and "<img" not in re.sub(r"&lt;.*?&gt;", "", html)
