"""The strip of a team's recordings."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from inspector.archive import queries
from inspector.archive.intake.recording import append, finish
from inspector.archive.listing.running_captures import RunningCapture
from inspector.core.wire.exchange import Read
from inspector.dashboard.capture.recording.strip import recording_strip
from tests.archive.calls import FIRST, SECOND, begun, call, segment
from tests.people import Person

NOW = datetime(2026, 11, 20, 14, 3, 7, tzinfo=UTC)


def running(number: int, seconds: float = 8.0, **changed: Any) -> RunningCapture:
    facts: dict[str, Any] = {
        "id": UUID(int=number),
        "began_at": NOW - timedelta(seconds=seconds),
        "byte_length": 1_200,
        "request_model": f"model-{number}",
        "first_us": 1_000_000,
        "last_us": 7_500_000,
    }
    return RunningCapture(**{**facts, **changed})


def test_this_one_comes_first_and_five_at_most() -> None:
    strip = recording_strip([running(n) for n in range(7)], 7, UUID(int=4), NOW)
    assert strip is not None and strip.number == 7
    assert [each.name for each in strip.entries] == [f"model-{n}" for n in (4, 0, 1, 2, 3)]
    assert [each.is_here for each in strip.entries] == [True, False, False, False, False]


def test_one_alone_needs_no_strip() -> None:
    assert recording_strip([running(1)], 1, UUID(int=1), NOW) is None


def test_all_stand_on_one_scale() -> None:
    strip = recording_strip([running(1, 21.7), running(2, 6.0)], 2, UUID(int=2), NOW)
    assert strip is not None and strip.scale_seconds == 24
    here, other = strip.entries
    assert (here.passed, here.now, here.first, here.last) == ("6.0 s", 25.0, 4.17, 31.25)
    assert (other.passed, other.now) == ("21.7 s", 90.42)
    long = recording_strip([running(1, 7_000), running(2)], 2, UUID(int=2), NOW)
    assert long is not None and long.scale_seconds == 7_000


def test_a_silence_is_told_once_it_is_longer_than_storing_takes() -> None:
    def aside(**changed: Any) -> tuple[str, bool]:
        strip = recording_strip([running(1, **changed), running(2)], 2, UUID(int=1), NOW)
        assert strip is not None
        return strip.entries[0].aside, strip.entries[0].is_silent

    assert aside() == ("1.2 kB", False)
    assert aside(last_us=4_000_000) == ("silent 4.0 s", True)
    assert aside(byte_length=0, first_us=None, last_us=None) == ("no byte yet", False)


@pytest.mark.django_db
def test_the_page_shows_the_recordings_of_its_team_alone(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    here, beside, foreign = call(owner), call(teammate), call(stranger)
    for each in (here, foreign):
        begun(each)
    assert names(owner, here.id) == []
    lease = begun(beside)
    append([segment(lease, 0, status_code=200), segment(lease, 1, FIRST, SECOND)])
    assert names(owner, here.id) == names(teammate, here.id) == ["gpt-4o", "gpt-4o"]
    assert stranger.browser().get(f"/captures/{here.id}/").status_code == 404
    finish([beside])
    assert names(owner, here.id) == []


def names(person: Person, capture_id: UUID) -> list[str]:
    shown = person.browser().get(f"/captures/{capture_id}/").content.decode()
    shown = shown[shown.index('id="running"') :]
    return re.findall(r'class="name"[^>]*>([^<]*)<', shown)


@pytest.mark.django_db
def test_what_is_known_of_running_captures_is_told_by_door(owner: Person, stranger: Person) -> None:
    one = call(owner)
    lease = begun(one)
    (before,) = queries.for_principal(owner.principal).running()
    assert (before.id, before.request_model) == (one.id, "gpt-4o")
    assert (before.first_us, before.last_us, before.byte_length) == (None, None, 0)
    append([segment(lease, 0, FIRST), segment(lease, 1, SECOND, Read(9_000, b"x"))])
    (after,) = queries.for_principal(owner.principal).running()
    assert (after.first_us, after.last_us, after.byte_length) == (1_000, 9_000, 301)
    assert queries.for_principal(stranger.principal).running() == ()
    finish([one])
    assert queries.for_principal(owner.principal).running() == ()
