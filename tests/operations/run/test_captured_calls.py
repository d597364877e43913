"""Lines that a run tells of the calls that it captured."""

import pytest

from inspector.archive.intake.recording import finish
from inspector.operations.run.captured_calls import NO_CALL, CapturedCalls
from inspector.teams.access import for_team
from inspector.teams.models import ApiKey
from tests.archive.calls import call
from tests.archive.samples import inspect_all
from tests.people import Person

RUN = "claude-20260301-120000-7"


@pytest.fixture
def calls(owner: Person) -> CapturedCalls:
    principal = for_team(owner.team.slug)
    assert principal is not None
    ApiKey.objects.filter(pk=owner.service.key_id).update(name=RUN, session=RUN)
    return CapturedCalls(principal, RUN)


def told(calls: CapturedCalls) -> list[str]:
    lines: list[str] = []
    calls.tell_new(lines.append, at_once=True)
    return lines


def test_a_run_without_a_call_is_told_with_the_known_reasons(calls: CapturedCalls) -> None:
    assert (told(calls), calls.summary()) == ([], NO_CALL)


def test_each_call_has_its_line_once_it_is_inspected(owner: Person, calls: CapturedCalls) -> None:
    finish([call(owner, session=RUN)])
    assert told(calls) == []
    assert calls.summary() == "1 call captured, 1 not analysed yet"
    inspect_all()
    (line,) = told(calls)
    assert "complete, answered" in line and line.startswith("gpt-4o")
    assert told(calls) == []
    assert calls.summary().startswith("1 call captured, gpt-4o")


def test_the_calls_of_other_keys_are_not_of_the_run(
    teammate: Person, stranger: Person, calls: CapturedCalls
) -> None:
    finish([call(teammate), call(stranger)])
    assert calls.summary() == NO_CALL


def test_session_of_the_key_is_the_session_of_capture(owner: Person, calls: CapturedCalls) -> None:
    finish([call(owner, session=RUN), call(owner)])
    inspect_all()
    found = owner.get(f"/api/v1/captures/?q=session:{RUN}").json["captures"]
    assert len(found) == 1


def test_nothing_is_waited_for_once_all_is_inspected(owner: Person, calls: CapturedCalls) -> None:
    finish([call(owner)])
    pauses = []

    def pause() -> None:
        pauses.append(1)
        inspect_all()

    calls.settle(pause)
    assert len(pauses) == 1
