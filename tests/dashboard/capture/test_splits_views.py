"""The page of a capture's every split."""

from __future__ import annotations

import re
from html import unescape
from uuid import UUID

import pytest

from inspector.archive.background import splitting, task_steps
from inspector.archive.background.splitting import split_capture
from inspector.archive.inspection import capture_tasks
from inspector.archive.models import CaptureTask, TaskKind
from inspector.archive.readers.sdk_readers import SdkProgress, SdkStep
from inspector.core.splits.cuttings import Cutting
from inspector.core.splits.every_split import SplitResult
from inspector.core.splits.own_reading import SplitDifference
from inspector.core.splits.readers import ReaderSplits, ReaderState
from inspector.core.wire.framing import Framing
from inspector.dashboard.capture.splits.splits_page import splits_display
from tests.archive.samples import SSE, STREAM, WHOLE, inspected
from tests.people import Person


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def alone(work: str, given: SdkStep, seconds: float, largest: int) -> SdkProgress:
        words = "It is not installed here."
        state = ReaderState.NOT_INSTALLED
        found = ReaderSplits(slug=given.slug, name=given.slug, state=state, sentence=words)
        return SdkProgress(found, 0, 0)

    monkeypatch.setattr(task_steps, "STEPS", {"splitting": split_capture})
    monkeypatch.setattr(splitting, "read_in_process", lambda operation, given: operation(given))
    monkeypatch.setattr(splitting, "read_alone", alone)


def page(person: Person, capture_id: UUID, status: int = 200) -> str:
    answer = person.browser().get(f"/captures/{capture_id}/splits/")
    assert answer.status_code == status
    return answer.content.decode()


def words(html: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", html)))


def request_it(person: Person, capture_id: UUID) -> int:
    return person.browser().post(f"/captures/{capture_id}/splits/").status_code


def test_the_raw_panel_leads_to_it(owner: Person) -> None:
    capture_id = inspected(owner, STREAM, SSE)
    html = owner.browser().get(f"/captures/{capture_id}/").content.decode()
    assert f'href="/captures/{capture_id}/splits/"' in html


def test_it_is_requested_followed_and_told(owner: Person, teammate: Person) -> None:
    capture_id = inspected(owner, STREAM, SSE)
    assert "Not checked yet." in words(page(owner, capture_id))
    assert request_it(teammate, capture_id) == 302
    waiting = page(owner, capture_id)
    assert "Waits for its turn." in words(waiting)
    assert 'hx-trigger="poll"' in waiting and "<button>Check" not in waiting
    task_steps.step()
    assert "Now reading it with our own reader" in words(page(owner, capture_id))
    while task_steps.step():
        pass
    html = page(owner, capture_id)
    told = words(html)
    assert "Our own reading is the same with every cutting that was tried." in told
    assert f"at every one of {len(STREAM) - 1} places of {len(STREAM)} bytes" in told
    assert "loses event 0 where this stream is cut at byte 1." in told
    assert f'<a href="/captures/{capture_id}/?raw=hex&amp;byte=1#raw">Byte 1</a>' in html
    assert "It is not installed here." in told
    assert "Check every split again" in told
    assert 'hx-trigger="poll"' not in html


def test_a_script_gets_the_part_that_changes_alone(owner: Person) -> None:
    capture_id = inspected(owner, STREAM, SSE)
    answer = owner.browser().get(f"/captures/{capture_id}/splits/", headers={"HX-Request": "true"})
    assert answer.content.decode().strip().startswith('<div id="live" class="translation">')


def test_a_whole_body_has_nothing_to_split(owner: Person) -> None:
    capture_id = inspected(owner, WHOLE)
    request_it(owner, capture_id)
    while task_steps.step():
        pass
    assert "A whole body: there is nothing to split" in words(page(owner, capture_id))


def test_a_stranger_finds_nothing(owner: Person, stranger: Person) -> None:
    capture_id = inspected(owner, STREAM, SSE)
    page(stranger, capture_id, 404)
    assert request_it(stranger, capture_id) == 404
    assert not CaptureTask.objects.exists()


def test_what_failed_says_why(owner: Person) -> None:
    capture_id = inspected(owner, STREAM, SSE)
    request_it(owner, capture_id)
    task = capture_tasks.claim((TaskKind.SPLITTING,))
    assert task is not None
    capture_tasks.fail(task, "reading_too_large")
    assert "It failed: reading_too_large" in words(page(owner, capture_id))


def test_too_many_open_tasks_are_told(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture_tasks, "MAX_OPEN_TASKS", 0)
    assert request_it(owner, inspected(owner, STREAM, SSE)) == 409


def test_a_difference_of_our_own_is_told_as_our_fault_with_both_readings() -> None:
    difference = SplitDifference(
        cutting=Cutting.at(9), pointer="/analysis/verdict", uncut='"complete"', cut='"<b>"'
    )
    result = SplitResult(
        framing=Framing.EVENT_STREAM,
        is_stream=True,
        byte_length=20,
        places=19,
        differing=1,
        differences=(difference,),
    )
    display = splits_display(UUID(int=1), result)
    assert display.headline == (
        "Our own reading differs with 1 cutting: that is a fault of this program."
    )
    [shown] = display.differences
    assert shown.url == f"/captures/{UUID(int=1)}/?raw=hex&byte=9#raw"


def test_a_byte_of_the_compressed_form_has_no_link() -> None:
    coded = Cutting(kind=Cutting.at(3).kind, byte=3, is_coded=True)
    difference = SplitDifference(cutting=coded, pointer="/items", uncut="1", cut="2")
    result = SplitResult(
        framing=Framing.EVENT_STREAM, is_stream=True, byte_length=9, differences=(difference,)
    )
    assert splits_display(UUID(int=1), result).differences[0].url == ""
