"""A look stores what changed, once, whoever looks and however often."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db.models import F
from django.utils import timezone

from inspector.archive.deletion import delete
from inspector.archive.models import Inspection
from inspector.core.wire.exchange import Request
from inspector.usage.drift import events, history_queries, scan
from inspector.usage.drift.event_list import drift_events
from inspector.usage.drift.history_queries import hour_of, moment_of
from inspector.usage.measures import MeasureKey
from inspector.usage.models import (
    DriftEvent,
    DriftScanState,
    Octave,
    StoredContribution,
    UsageSeries,
    UsageSum,
)
from inspector.usage.rollup.dimensions import EXACT, SeriesKey
from inspector.usage.rollup.periods import latest
from inspector.usage.rollup.rollups import HourContribution, HourGroup, apply_contributions
from inspector.usage.rollup.rollups import hour_of as start_of_hour
from inspector.work.models import Work
from inspector.work.run import run_one
from tests.archive.older import grow_old, read_everything_again
from tests.archive.samples import WHOLE, inspected
from tests.people import Person
from tests.usage.past import STRETCH, WITH_REASONING, arrived, look, look_again, ten_minutes_pass

pytestmark = pytest.mark.both_stacks

OTHER_FINGERPRINT = WHOLE.replace(b'"model"', b'"system_fingerprint":"fp_b","model"')


def test_a_key_that_appeared_is_marked_with_its_first_captures(owner: Person) -> None:
    arrived(owner, 30, 9)
    new = arrived(owner, 8, 2, WITH_REASONING)
    assert look() == 1
    (mark,) = DriftEvent.objects.all()
    assert (mark.subject, mark.direction, mark.model) == ("fields", "appeared", "gpt-4o")
    assert mark.value == "/choices/message/reasoning_content"
    assert mark.captures == [str(capture_id) for capture_id in new[:3]]
    assert mark.at == Inspection.objects.get(pk=new[0]).called_at
    assert mark.start == start_of_hour(mark.at)
    assert (mark.test["before"], mark.test["since"]) == ([30, 0], [8, 8])


def test_a_fingerprint_that_is_sent_now_is_a_switch_from_none(owner: Person) -> None:
    arrived(owner, 30, 9)
    arrived(owner, 12, 2, OTHER_FINGERPRINT)
    look()
    mark = DriftEvent.objects.get(subject="fingerprint")
    assert (mark.value, mark.replaces_value, mark.replaced_value) == ("fp_b", True, None)
    # The field is a key, too.
    assert DriftEvent.objects.get(subject="fields").value == "/system_fingerprint"


def test_what_vanished_is_marked_with_the_last_captures_that_had_it(owner: Person) -> None:
    old = arrived(owner, 30, 9, WITH_REASONING)
    arrived(owner, 12, 2)
    look()
    (mark,) = DriftEvent.objects.all()
    assert (mark.direction, mark.value) == ("vanished", "/choices/message/reasoning_content")
    assert mark.captures == [str(capture_id) for capture_id in reversed(old[-3:])]


def test_another_model_that_answers_a_name_is_marked(owner: Person) -> None:
    asked = Request(body=b'{"model":"gpt-4o"}')
    answers = [(30, 9, b'"gpt-4o-05"'), (12, 2, b'"gpt-4o-08"')]
    for number, hours_ago, model in answers:
        body = WHOLE.replace(b'"gpt-4o"', model)
        arrived(owner, number, hours_ago, body, request=asked)
    look()
    (mark,) = DriftEvent.objects.all()
    assert (mark.subject, mark.model, mark.value) == ("alias", "gpt-4o", "gpt-4o-08")
    assert (mark.replaces_value, mark.replaced_value, len(mark.captures)) == (True, "gpt-4o-05", 3)


def test_a_team_without_changes_has_no_marks(owner: Person) -> None:
    arrived(owner, 60, 9)
    arrived(owner, 60, 2)
    look()
    assert not DriftEvent.objects.exists()


def test_looking_again_and_again_stores_one_mark_whose_numbers_grow(owner: Person) -> None:
    arrived(owner, 30, 9)
    arrived(owner, 8, 4, WITH_REASONING)
    look()
    before = DriftEvent.objects.get()
    for hours_ago in (3, 2, 1):
        arrived(owner, 8, hours_ago, WITH_REASONING)
        look_again()
        look_again()
    after = DriftEvent.objects.get()
    assert (after.pk, after.at, after.captures) == (before.pk, before.at, before.captures)
    assert (before.test["since"][1], after.test["since"][1]) == (8, 32)
    assert after.test["since"] == [32, 32]


def test_a_change_that_is_found_from_a_near_hour_is_the_same(owner: Person) -> None:
    arrived(owner, 30, 9)
    arrived(owner, 8, 2, WITH_REASONING)
    look()
    DriftEvent.objects.update(start=F("start") - timedelta(days=2))
    look_again()
    assert DriftEvent.objects.count() == 1
    DriftEvent.objects.update(start=F("start") - timedelta(days=6))
    look_again()
    assert DriftEvent.objects.count() == 2


def test_a_look_cut_off_is_taken_up_again(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    arrived(owner, 30, 9)
    arrived(owner, 8, 2, WITH_REASONING)

    class Ends(BaseException):
        pass

    def ends(*args: object) -> None:
        raise Ends

    with monkeypatch.context() as patched:
        patched.setattr(events, "new_events", ends)
        with pytest.raises(Ends):
            run_one(STRETCH)
    assert not DriftEvent.objects.exists()
    # It is held until it is due again.
    assert run_one(STRETCH) is False
    ten_minutes_pass()
    assert run_one(STRETCH) is True
    assert DriftEvent.objects.count() == 1


def test_anothers_look_stores_nothing(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    arrived(owner, 30, 9)
    arrived(owner, 8, 2, WITH_REASONING)
    marks_of = events.new_events

    def taken(*args: Any) -> list[DriftEvent]:
        Work.objects.update(lease_token=uuid4())
        return marks_of(*args)

    with monkeypatch.context() as patched:
        patched.setattr(events, "new_events", taken)
        assert run_one(STRETCH) is True
    assert not DriftEvent.objects.exists()


def test_a_look_that_fails_is_told_and_the_sweep_goes_on(
    owner: Person, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    inspected(owner)

    def fails(*args: object) -> None:
        raise ValueError("no")

    monkeypatch.setattr(scan, "load_histories", fails)
    assert run_one(STRETCH) is True
    assert "a step of a task failed" in caplog.text
    assert run_one(STRETCH) is False


def test_a_team_is_looked_at_when_something_arrived(owner: Person, stranger: Person) -> None:
    assert look() == 0 and not DriftScanState.objects.exists()
    inspected(owner)
    assert look() == 1
    ten_minutes_pass()
    assert look() == 0
    inspected(owner)
    assert look() == 1
    assert set(DriftScanState.objects.values_list("team", flat=True)) == {owner.team.pk}


def test_a_month_is_looked_at_in_stretches_and_then_the_newest_days(owner: Person) -> None:
    arrived(owner, 1, 29 * 24)
    arrived(owner, 30, 20 * 24 + 5)
    arrived(owner, 12, 20 * 24, WITH_REASONING)
    assert look() > 2
    assert DriftEvent.objects.count() == 1
    inspected(owner)
    ten_minutes_pass()
    hour = hour_of(timezone.now())
    assert look() == 1
    assert hour_of(DriftScanState.objects.get().scanned_to or datetime.min) > hour


def test_calls_that_arrive_late_are_looked_at_in_their_hours(owner: Person) -> None:
    inspected(owner)
    look()
    arrived(owner, 30, 20 * 24 + 5)
    arrived(owner, 12, 20 * 24, WITH_REASONING)
    ten_minutes_pass()
    assert look() > 2
    assert DriftEvent.objects.count() == 1
    ten_minutes_pass()
    assert look() == 0


def test_calls_that_arrive_late_during_a_look_are_looked_at_after_it(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    inspected(owner)
    look()
    inspected(owner)
    ten_minutes_pass()
    load, late = scan.load_histories, [20 * 24 + 5]

    def meanwhile(*asked: Any) -> Any:
        found = load(*asked)
        if late:
            arrived(owner, 1, late.pop())
        return found

    monkeypatch.setattr(scan, "load_histories", meanwhile)
    assert look() > 3
    assert hour_of(DriftScanState.objects.get().scanned_to or datetime.min) > hour_of(
        timezone.now()
    )


@pytest.mark.thorough
def test_what_was_read_again_is_looked_at_from_the_beginning(owner: Person) -> None:
    ids = arrived(owner, 30, 20 * 24 + 5) + arrived(owner, 12, 20 * 24, WITH_REASONING)
    UsageSum.objects.filter(measure="fields").delete()
    look()
    assert not DriftEvent.objects.exists()
    for capture_id in ids:
        grow_old(capture_id)
    UsageSum.objects.all().delete()
    Octave.objects.all().delete()
    StoredContribution.objects.all().delete()
    read_everything_again()
    ten_minutes_pass()
    assert look() > 1
    assert DriftEvent.objects.count() == 1


@pytest.mark.parametrize(
    "model", ["m" * 5_000, "a\u0000b\u202e\u0007", "模型", "\ud800", "<script>alert(1)</script>"]
)
def test_a_model_of_any_name_is_watched_as_one(owner: Person, model: str) -> None:
    def named(body: bytes) -> bytes:
        return json.dumps({**json.loads(body), "model": model}).encode()

    arrived(owner, 30, 9, named(WHOLE))
    arrived(owner, 8, 2, named(WITH_REASONING))
    look()
    (mark,) = DriftEvent.objects.all()
    assert mark.model == UsageSeries.objects.get(by=EXACT).model
    assert len(mark.captures) == 3


@pytest.mark.parametrize("created", [99_999_999_999, -1, 0, 10**30])
def test_a_clock_from_elsewhere_moves_no_mark(owner: Person, created: int) -> None:
    clock = b"%d" % created
    arrived(owner, 30, 9, WHOLE.replace(b"1700000000", clock))
    arrived(owner, 8, 2, WITH_REASONING.replace(b"1700000000", clock))
    look()
    now = datetime.now(UTC)
    assert now - timedelta(hours=4) < DriftEvent.objects.get(subject="fields").at < now


def test_marks_are_told_to_their_team(owner: Person, teammate: Person, stranger: Person) -> None:
    arrived(owner, 30, 9)
    new = arrived(owner, 8, 2, WITH_REASONING)
    inspected(stranger)
    look()
    period = latest("24h", timezone.now())
    for person, expected in ((owner, 1), (teammate, 1), (stranger, 0)):
        assert len(drift_events(person.principal, period, 9)) == expected
    delete(owner.principal, new[0])
    (mark,) = drift_events(owner.principal, period, 9)
    assert mark.captures == (new[1], new[2])


def fill(person: Person, hour: int, measures: dict[MeasureKey, int], **kind: str) -> None:
    """Sums without captures."""
    group = HourGroup(person.team.pk, SeriesKey(by=EXACT, **kind), moment_of(hour))
    for key, captures in measures.items():
        contributions = [HourContribution(uuid4(), group, {key: None})] * captures
        apply_contributions([], contributions)


def test_endless_fingerprints_hide_no_drift(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    inspected(owner)
    now = hour_of(timezone.now())
    monkeypatch.setattr(history_queries, "MAX_SERIES", 100)
    for number in range(150):
        is_new = number >= 100
        kind = {"model": "m", "fingerprint": f"f{number}", "service_tier": "b" if is_new else "a"}
        fill(owner, now - 150 + number, {("verdict", "complete"): 1}, **kind)
    look()
    found = {mark.subject: mark for mark in DriftEvent.objects.filter(model="m")}
    assert set(found) == {"tier"}
    assert (found["tier"].value, found["tier"].replaced_value) == ("b", "a")
    assert found["tier"].test["before"][0] == 100


@pytest.mark.thorough
def test_hostile_numbers_of_models_and_fingerprints_end_no_look(owner: Person) -> None:
    inspected(owner)
    now = hour_of(timezone.now())
    for number in range(300):
        fill(owner, now - number % 48, {("verdict", "complete"): 1}, model=f"m{number}", vendor="v")
        fill(
            owner,
            now - number % 48,
            {("verdict", "complete"): 1},
            model="m",
            fingerprint=f"f{number}",
        )
    look()
    assert not DriftEvent.objects.exists()
    assert Work.objects.get(kind="drift").state == "finished"
