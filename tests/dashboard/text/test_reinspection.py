"""Reading again, as its pages tell it."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from msgspec import UNSET

from inspector.archive.inspection import reinspection
from inspector.archive.status.health import ReinspectionStatus
from inspector.archive.storage.previous_analysis import PreviousAnalysis
from inspector.core.analysis import Verdict
from inspector.core.answer.analysis_changes import AnalysisChange, AnalysisChangeKind
from inspector.core.completion import Choice
from inspector.core.findings import Finding, Severity, Where
from inspector.core.wire.exchange import Exchange
from inspector.dashboard.text.reinspection import (
    change_words,
    reinspection_changes,
    reinspection_sentences,
)
from inspector.work.models import Work, WorkState
from tests.archive.older import grow_old, read_everything_again
from tests.archive.samples import WHOLE, accept, inspected
from tests.dashboard.capture.samples import PAGE, RECEIVED_AT, analysis
from tests.dashboard.capture.test_views import page
from tests.dashboard.status.test_status_page import page as status
from tests.dashboard.status.test_status_page import words
from tests.dashboard.test_hostile import HOSTILE_TEXTS, assert_inert
from tests.people import Person

GONE = Finding(
    code="ending.no-finish",
    severity=Severity.WARNING,
    message="m",
    where=Where(pointer="/choices/0"),
)


def change(
    kind: AnalysisChangeKind, subject: str, before: Any, after: Any, **more: Any
) -> AnalysisChange:
    return AnalysisChange(kind=kind, subject=subject, before=before, after=after, **more)


def value(subject: str, before: Any, after: Any) -> AnalysisChange:
    return change(AnalysisChangeKind.VALUE, subject, before, after)


def fails(exchange: Exchange) -> None:
    raise ValueError("<b>no</b> sense")


def fail_three_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reinspection, "readout", fails)
    for _ in range(3):
        read_everything_again()
        Work.objects.update(due_at=RECEIVED_AT.replace(year=2000))
    read_everything_again()


def old(person: Person) -> UUID:
    capture_id = inspected(person)
    grow_old(capture_id, verdict=Verdict.MISSING_FINISH, findings=(GONE,))
    return capture_id


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        (value("/verdict", "missing-finish", "complete"), "verdict missing-finish → complete"),
        (value("/vendor", None, "groq"), "vendor none → groq"),
        (value("/choices", 1, 2), "choices 1 → 2"),
        (value("/streamed", False, True), "streamed false → true"),
        (value("/choices/3/finish_reason", UNSET, ""),
         "finish_reason of choice 3 not sent → empty string"),
        (value("/usage/cached_tokens", UNSET, 0), "cached_tokens not sent → 0"),
        (value("/timeline/first_token_us", None, 655_204), "first_token_us none → 0.655 s"),
        (value("/model", "m" * 500, "n"), f"model {'m' * 80} → n"),
        (change(AnalysisChangeKind.TEXT, "/choices/0/content", 1, 1200, at=0),
         "content of choice 0 differs from character 1 on (1 character → 1,200 characters)"),
        (change(AnalysisChangeKind.TEXT, "/choices/0/tool_calls/1/arguments_text", UNSET, 2),
         "tool_calls 1 arguments_text of choice 0 differs (not sent → 2 characters)"),
        (change(AnalysisChangeKind.FINDING, "a.b", 1, 0, pointer="/id"), "finding a.b at /id gone"),
        (change(AnalysisChangeKind.FINDING, "a.b", 0, 3), "finding a.b new"),
        (change(AnalysisChangeKind.FINDING, "a.b", 3, 2), "finding a.b 3 → 2 times"),
    ],
)  # fmt: skip
def test_a_change_in_words(told: AnalysisChange, sentence: str) -> None:
    assert change_words(told) == sentence


def reinspected(**more: Any) -> ReinspectionStatus:
    given: dict[str, Any] = {
        "analysis_version": 2,
        "state": WorkState.OPEN,
        "total": 5000,
        "done": 1200,
        "changed": 37,
        "failed": 0,
        "created_at": RECEIVED_AT,
        "started_at": RECEIVED_AT,
        "finished_at": None,
        "last_error": None,
    }
    return ReinspectionStatus(**{**given, **more})


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (reinspected(), "Analysing again: 1,200 of 5,000 with version 2, 37 analyses changed."),
        (reinspected(done=5100), "Analysing again: 5,100 of 5,100 with version 2, 37 analyses changed."),
        (reinspected(state=WorkState.FINISHED, done=1, changed=1, finished_at=RECEIVED_AT),
         "Version 2 analysed 1 capture again in a moment, 1 analysis changed."),
        (reinspected(state=WorkState.FINISHED, done=5000, failed=2,
                     finished_at=RECEIVED_AT.replace(minute=14)),
         "Version 2 analysed 5,000 captures again in 12 m, 37 analyses changed;"
         " 2 could not be analysed again and keep their analysis."),
        (reinspected(state=WorkState.SUPERSEDED, failed=1),
         "Version 2 analysed 1,200 of 5,000 again, then a newer version took over, 37 analyses changed;"
         " 1 could not be analysed again and keeps its analysis."),
    ],
)  # fmt: skip
def test_a_reinspection_in_words(found: ReinspectionStatus, sentence: str) -> None:
    assert reinspection_sentences(found) == sentence


def test_four_changes_are_told_at_once_and_one_more_is_no_list_of_its_own() -> None:
    def told(number: int) -> tuple[int, int]:
        some = tuple(value("/choices", n, n + 1) for n in range(number))
        reread = reinspection_changes(
            replace(PAGE, analysis=analysis(Choice(index=0)), previous=PreviousAnalysis(1, some, 0))
        )
        assert reread is not None
        return len(reread.changes), len(reread.more)

    assert [told(number) for number in (1, 4, 5, 6)] == [(1, 0), (4, 0), (5, 0), (4, 2)]


def test_a_capture_that_one_version_read_says_nothing_of_it(owner: Person) -> None:
    html = page(owner, inspected(owner))
    assert "Read again" not in html and 'class="reread"' not in html
    assert 'class="reread"' not in page(owner, accept(owner))


def test_capture_page_tells_what_changed(owner: Person, teammate: Person, stranger: Person) -> None:
    capture_id = old(owner)
    read_everything_again()
    for person in (owner, teammate):
        said = words(page(person, capture_id))
        assert "Analysed again with version" in said
        assert "verdict missing-finish → complete" in said
        assert "finding ending.no-finish at /choices/0 gone." in said
    assert stranger.browser().get(f"/captures/{capture_id}/").status_code == 404


def test_a_capture_that_reads_the_same_says_nothing_of_it(owner: Person) -> None:
    capture_id = inspected(owner)
    grow_old(capture_id)
    read_everything_again()
    assert "Analysed again" not in words(page(owner, capture_id))


def test_a_page_before_its_turn_is_of_one_version_from_head_to_foot(owner: Person) -> None:
    capture_id = old(owner)
    said = words(page(owner, capture_id))
    assert "Missing finish." in said and "ending.no-finish" in said


def test_what_could_not_be_read_again_shows_the_old_reading_and_why(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture_id = old(owner)
    fail_three_times(monkeypatch)
    html = page(owner, capture_id)
    said = words(html)
    assert "failed on this capture; version 0 is shown: ValueError:" in said
    assert "&lt;b&gt;no&lt;/b&gt; sense" in html
    assert "Missing finish." in said and "ending.no-finish" in said
    assert "could not be analysed again and keeps its analysis." in words(status(owner))
    assert "Last error: ValueError" in words(status(owner))


def test_the_status_page_tells_the_team_how_far_it_is_and_nobody_else(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    assert "Reinspection" not in status(owner)
    old(owner)
    old(owner)
    reinspection.open_jobs()
    for person in (owner, teammate):
        assert "Analysing again: 0 of 2 with version" in words(status(person))
    read_everything_again()
    assert "analysed 2 captures again in a moment, 2 analyses changed." in words(status(owner))
    assert "Reinspection" not in str(
        stranger.browser().get("/t/elsewhere/status/").content.decode()
    )
    assert Work.objects.get().kind == "reinspection"


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_a_hostile_value_that_changed_is_inert(owner: Person, text: str) -> None:
    capture_id = inspected(owner, WHOLE)
    grow_old(capture_id, model=text, choices=(Choice(index=0, finish_reason=text),))
    read_everything_again()
    assert_inert(page(owner, capture_id))
