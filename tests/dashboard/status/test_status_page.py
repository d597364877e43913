"""The page that says how a team's archive is doing."""

from datetime import timedelta
from uuid import UUID

import pytest
from django.utils import timezone

from inspector.archive.intake.proxy_counts import CallsOfHour, add_counts
from inspector.archive.models import Capture, Inspection, State
from inspector.teams.models import Role
from tests.archive.samples import accept, inspected
from tests.dashboard.test_hostile import HOSTILE_TEXTS, assert_inert
from tests.markup import words
from tests.people import Person, make_person

STATUS = "/t/default/status/"


def page(person: Person, path: str = STATUS) -> str:
    return person.page(path)


def quarantine(person: Person, reason: str | None = "It took over 40 s.") -> UUID:
    capture_id = accept(person)
    Capture.objects.filter(id=capture_id).update(
        state=State.QUARANTINED, attempt=3, quarantine_reason=reason
    )
    return capture_id


def retry_path(capture_id: UUID) -> str:
    return f"{STATUS}{capture_id}/retry/"


def test_the_account_balances(owner: Person, stranger: Person) -> None:
    inspected(owner)
    inspected(stranger)
    accept(owner)
    quarantine(owner)
    said = words(page(owner))
    assert "accepted 3 received 1 analysed 1 quarantined 1 oldest waiting" in said


def test_the_headline_says_the_worst(owner: Person) -> None:
    assert "Up to date." in words(page(owner))
    inspected(owner)
    assert "All captures are analysed." in words(page(owner))
    capture_id = accept(owner)
    assert "Analysing. 1 capture waiting." in words(page(owner))
    quarantine(owner)
    assert "Quarantined. 1 capture could not be analysed" in words(page(owner))
    hour_ago = timezone.now() - timedelta(hours=1)
    Capture.objects.filter(id=capture_id).update(due_at=hour_ago, finished_at=hour_ago)
    assert "Behind. 1 capture waiting, the oldest for 1 h." in words(page(owner))
    Inspection.objects.update(inspected_at=timezone.now() - timedelta(hours=1))
    told = words(page(owner))
    assert "Stuck. 1 capture waiting, the oldest for 1 h, and nothing analyses them." in told


def test_what_nothing_reads_yet_is_waiting_and_all_that_wait_are_counted(owner: Person) -> None:
    first, *_ = (accept(owner) for _ in range(3))
    assert "Not begun. 3 captures waiting." in words(page(owner))
    Capture.objects.filter(id=first).update(
        due_at=timezone.now() - timedelta(minutes=6),
        finished_at=timezone.now() - timedelta(minutes=6),
    )
    told = words(page(owner))
    assert "Stuck. 3 captures waiting, the oldest for 6 m, and nothing analyses them." in told


def proxied(person: Person, hours_ago: int = 0, **calls: int) -> None:
    hour = timezone.now().replace(minute=0, second=0, microsecond=0) - timedelta(hours=hours_ago)
    add_counts([CallsOfHour(person.team.id, hour, calls)])


def test_what_the_proxy_recorded_is_told_with_what_it_left_out(owner: Person) -> None:
    assert "proxy" not in words(page(owner))
    proxied(owner, recorded=1_200, other=3)
    proxied(owner, hours_ago=2, recorded=34, omitted=5)
    said = words(page(owner))
    assert (
        "recorded by the proxy 1,234 5 left out by samples, 3 not completions and not kept" in said
    )
    assert "Up to date." in said


def test_calls_that_the_proxy_missed_are_in_the_headline_for_a_day(
    owner: Person, stranger: Person
) -> None:
    proxied(owner, hours_ago=30, missed=7)
    proxied(stranger, missed=7)
    assert "Up to date." in words(page(owner))
    proxied(owner, recorded=2, missed=1)
    said = words(page(owner))
    assert "Missed. 1 call through the proxy could not be recorded in the last day" in said
    assert "recorded by the proxy 2 1 missed" in said


def test_times_that_nobody_can_know_are_told_as_such(owner: Person) -> None:
    said = words(page(owner))
    assert "oldest waiting – none waiting" in said
    assert "last analysed – none yet" in said
    inspected(owner)
    assert "last analysed now" in words(page(owner))


def test_one_click_takes_a_capture_out_of_quarantine(owner: Person, teammate: Person) -> None:
    capture_id = quarantine(owner)
    html = page(teammate)
    assert "It took over 40 s." in html and f'action="{retry_path(capture_id)}"' in html
    answer = teammate.browser().post(retry_path(capture_id))
    assert (answer.status_code, answer["Location"]) == (302, STATUS)
    assert Capture.objects.get(id=capture_id).state == State.RECEIVED
    assert "No captures in quarantine." in words(page(teammate))


def test_it_is_taken_out_on_its_own_page_too(owner: Person) -> None:
    capture_id = quarantine(owner)
    own_page = f"/captures/{capture_id}/"
    html = page(owner, path=own_page)
    assert "Not analysed." in html and f'action="{retry_path(capture_id)}"' in html
    answer = owner.browser().post(retry_path(capture_id), {"stay": "yes"})
    assert answer["Location"] == own_page
    assert retry_path(capture_id) not in page(owner, path=own_page)


def test_a_second_click_is_no_mistake(owner: Person) -> None:
    capture_id = quarantine(owner)
    owner.browser().post(retry_path(capture_id))
    assert owner.browser().post(retry_path(capture_id)).status_code == 302


def test_a_viewer_sees_the_quarantine_and_opens_it_for_nobody(owner: Person) -> None:
    viewer = make_person("vera", "default", Role.VIEWER)
    capture_id = quarantine(owner)
    assert "It took over 40 s." in page(viewer) and "Retry" not in page(viewer)
    assert viewer.browser().post(retry_path(capture_id)).status_code == 403


def test_more_than_a_page_holds_are_counted(owner: Person) -> None:
    for _ in range(101):
        quarantine(owner, None)
    said = words(page(owner))
    assert said.count("No reason recorded.") == 100
    assert "And 1 older." in said


def test_the_archive_leads_there(owner: Person) -> None:
    inspected(owner)
    assert f'href="{STATUS}"' in owner.browser().get("/t/default/captures/").content.decode()


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_a_hostile_reason_is_inert(owner: Person, text: str) -> None:
    quarantine(owner, text.encode("utf-8", "replace").decode().replace("\x00", ""))
    assert_inert(page(owner))
