"""Minimising on the page of a capture, and on the page of its minimised forms."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from uuid import UUID

import pytest
from django.test import Client

from inspector.archive.background import minimising, task_steps
from inspector.archive.background.minimisation_status import MinimisationStatus
from inspector.archive.background.minimising import MinimisationResult, minimise_capture
from inspector.archive.deletion import delete
from inspector.archive.inspection import capture_tasks
from inspector.archive.models import Capture, CaptureTask, FindingRow, State, TaskKind
from inspector.core.minimisation import minimiser
from inspector.core.minimisation.parts import MinimisationPass
from inspector.dashboard.capture.minimisation.minimisation_page import (
    STAGES,
    MinimisationDisplay,
    display_of,
    progress_of,
)
from inspector.teams.models import Role
from tests.archive.samples import WHOLE, inspect_all, inspected
from tests.people import Person, make_person

CODE = "usage.total-mismatch"
BODY = WHOLE.replace(b'"total_tokens":5', b'"total_tokens":6')
HTMX = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_steps, "STEPS", {"minimisation": minimise_capture})
    monkeypatch.setattr(minimising, "read_in_process", lambda operation, given: operation(given))
    monkeypatch.setattr(minimising, "STEP_SECONDS", 3600.0)


def address(capture_id: UUID, more: str = "minimisations/") -> str:
    return f"/captures/{capture_id}/{more}"


def page(person: Person, path: str, status: int = 200) -> str:
    answer = person.browser().get(path)
    assert answer.status_code == status
    return answer.content.decode()


def part(person: Person, capture_id: UUID) -> str:
    path = address(capture_id, f"minimisations/?code={CODE}")
    answer = person.browser().get(path, headers=HTMX)
    assert answer.status_code == 200
    return answer.content.decode()


def words(html: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", html)))


def request_it(person: Person, capture_id: UUID, code: str = CODE, **headers: str) -> Any:
    return person.browser().post(address(capture_id), {"code": code}, headers=headers)


def carry_out() -> None:
    while task_steps.step():
        pass


def made_from(source: UUID) -> Capture:
    return Capture.objects.get(minimised_from=source)


def test_each_finding_has_a_button_for_those_who_may(owner: Person, teammate: Person) -> None:
    source = inspected(owner, BODY)
    for person in (owner, teammate):
        html = page(person, address(source, ""))
        assert f'<input type="hidden" name="code" value="{CODE}">' in html
        assert html.count("<button>Minimise</button>") >= 1
    reader = make_person("rita", owner.team.slug, Role.VIEWER)
    html = page(reader, address(source, ""))
    assert "<button>Minimise</button>" not in html
    assert f'href="{address(source)}">Minimised forms</a>' in html


def test_a_finding_that_no_body_is_an_example_of_has_none(owner: Person) -> None:
    source = inspected(owner, WHOLE)
    row = {"capture_id": source, "source": "cost", "severity": "info", "message": "m"}
    FindingRow.objects.create(code="cost.stated-differs", position=0, **row)
    assert "cost.stated-differs" in page(owner, address(source, ""))
    assert "<button>Minimise</button>" not in page(owner, address(source, ""))


def test_it_is_requested_followed_and_linked(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = inspected(owner, BODY)
    answer = request_it(owner, source)
    assert (answer.status_code, answer["Location"]) == (302, address(source))
    waiting = part(owner, source)
    assert "Waits for its turn." in words(waiting)
    assert 'hx-trigger="every 1s"' in waiting and "<button>" not in waiting
    monkeypatch.setattr(minimising, "STEP_SECONDS", -1.0)
    task_steps.step()
    assert "Now removing events. 291 of 291 bytes left" in words(part(owner, source))
    monkeypatch.setattr(minimising, "STEP_SECONDS", 3600.0)
    carry_out()
    made = made_from(source)
    for html in (part(owner, source), page(owner, address(source))):
        link = f'<a href="/captures/{made.pk}/">{made.byte_length} bytes of {len(BODY)}</a>'
        assert f"{link}, still fires <code>{CODE}</code>." in html
        assert "hx-trigger" not in html and "<button>Minimise" not in html


def test_the_button_answers_a_script_with_the_part_that_changes(owner: Person) -> None:
    source = inspected(owner, BODY)
    answer = request_it(owner, source, **HTMX)
    assert answer.status_code == 200
    assert answer.content.decode().strip().startswith('<div class="minimisation" hx-get="')
    assert f"{address(source)}?code={CODE}" in answer.content.decode()


def test_the_minimised_capture_says_what_it_is_made_from(owner: Person) -> None:
    source = inspected(owner, BODY)
    request_it(owner, source)
    carry_out()
    inspect_all()
    html = page(owner, f"/captures/{made_from(source).pk}/")
    assert f'Minimised from <a href="/captures/{source}/"><code>' in html
    assert f"for {CODE}" in words(html)
    assert "the one it was minimised from" in words(html)
    assert "Minimised from" not in words(page(owner, address(source, "")))


def test_strangers_and_viewers_request_nothing(owner: Person, stranger: Person) -> None:
    source = inspected(owner, BODY)
    page(stranger, address(source), 404)
    assert request_it(stranger, source).status_code == 404
    assert stranger.browser().get(address(source), headers=HTMX).status_code == 404
    reader = make_person("rita", owner.team.slug, Role.VIEWER)
    assert request_it(reader, source).status_code == 403
    assert Client().post(address(source), {"code": CODE}).status_code == 302
    assert not CaptureTask.objects.exists()


def test_a_capture_that_is_recorded_is_not_there(owner: Person) -> None:
    source = inspected(owner, BODY)
    Capture.objects.filter(pk=source).update(state=State.RECORDING)
    page(owner, address(source), 404)
    assert request_it(owner, source).status_code == 404


def test_without_one_the_page_says_where_to_begin(owner: Person) -> None:
    told = words(page(owner, address(inspected(owner, BODY))))
    assert "None yet. The button Minimise stands beside each finding" in told


def test_a_finding_that_is_not_there_is_refused_with_a_sentence(owner: Person) -> None:
    source = inspected(owner, BODY)
    answer = request_it(owner, source, "ending.missing-finish")
    assert answer.status_code == 422
    assert "no finding ending.missing-finish there" in words(answer.content.decode())
    # A script shows no answer with an error for its status.
    answer = request_it(owner, source, "ending.missing-finish", **HTMX)
    assert answer.status_code == 200
    assert "no finding ending.missing-finish there" in words(answer.content.decode())


def test_too_many_open_tasks_are_told(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture_tasks, "MAX_OPEN_TASKS", 0)
    assert request_it(owner, inspected(owner, BODY)).status_code == 409


def test_what_failed_says_why_and_can_be_requested_again(owner: Person) -> None:
    source = inspected(owner, BODY)
    request_it(owner, source)
    task = capture_tasks.claim((TaskKind.MINIMISATION,))
    assert task is not None
    capture_tasks.fail(task, "reading_too_large")
    html = part(owner, source)
    assert "It failed: reading_too_large" in words(html)
    assert "<button>Minimise</button>" in html


def test_what_ended_at_its_limit_says_so(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minimiser, "MAX_TRIES", 15)
    source = inspected(owner, BODY)
    request_it(owner, source)
    carry_out()
    assert "something smaller may exist" in words(part(owner, source))


def test_a_minimised_capture_that_was_deleted_is_told_as_deleted(owner: Person) -> None:
    source = inspected(owner, BODY)
    request_it(owner, source)
    carry_out()
    delete(owner.principal, made_from(source).pk)
    html = part(owner, source)
    assert "The minimised capture was deleted." in words(html)
    assert "<button>Minimise</button>" in html and "still fires" not in words(html)


def test_a_deletion_says_that_minimised_captures_went_too(owner: Person) -> None:
    source = inspected(owner, BODY)
    request_it(owner, source)
    carry_out()
    answer = owner.browser().post(address(source, "delete/"), {"confirm": "yes"})
    assert "and with it 1 capture minimised from it" in words(answer.content.decode())


def status(**known: Any) -> MinimisationStatus:
    return MinimisationStatus(code=CODE, pointer=None, **known)


@pytest.mark.parametrize(
    "ending, told",
    [
        ("nothing-removed", "Nothing could be removed: it is as small as it gets."),
        ("not-found", "By the current rules it has no such finding."),
    ],
)
def test_an_end_without_a_capture_says_why(ending: str, told: str) -> None:
    ended = status(state="finished", result=MinimisationResult(ending=ending))
    display = display_of((ended,), CODE, None)
    assert (display.remark, display.may_begin) == (told, True)


def test_a_result_of_another_release_is_to_be_requested_again() -> None:
    assert display_of((status(state="finished"),), CODE, None).remark.endswith("minimise again.")


def test_a_request_that_the_finding_needs_is_counted_beside_the_body() -> None:
    result = MinimisationResult(
        ending="minimal",
        capture=UUID(int=1),
        bytes_before=68_115,
        bytes_now=1_204,
        request_bytes_before=900,
        request_bytes_now=70,
    )
    display = display_of((status(state="finished", result=result),), CODE, None)
    assert display.lengths == "1,204 bytes of 68,115, request 70 of 900"


def test_a_stage_of_another_release_has_no_words_of_its_own() -> None:
    open_one = status(state="open", stage="later", bytes_before=9, bytes_now=7)
    progress = progress_of(open_one)
    assert (progress.words, progress.counted) == ("Now removing.", "7 of 9 bytes left")


def test_every_pass_has_words() -> None:
    assert set(STAGES) == set(MinimisationPass)


def test_the_pointer_travels_with_the_code() -> None:
    assert MinimisationDisplay(CODE, "/a b/&").query == f"code={CODE}&pointer=%2Fa+b%2F%26"
    assert MinimisationDisplay(CODE, None).query == f"code={CODE}"
