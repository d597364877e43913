"""Differences between two readings of the same bytes."""

from typing import Any

import msgspec
import pytest

from inspector.core.analysis import Analysis, Verdict
from inspector.core.answer.analysis_changes import (
    AnalysisChange,
    AnalysisChangeKind,
    changes_between,
)
from inspector.core.completion import ArgumentsState, FunctionCall, ToolCall
from inspector.core.findings import Finding, Severity, Where
from inspector.core.reading import analyze
from inspector.core.wire.exchange import Exchange

ANSWER = analyze(
    Exchange.of_body(
        b'{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,'
        b'"message":{"role":"assistant","content":"Good morning"},"finish_reason":"stop"}],'
        b'"usage":{"prompt_tokens":0,"completion_tokens":2,"total_tokens":2}}'
    )
)


def but(**said: Any) -> Analysis:
    return msgspec.structs.replace(ANSWER, **said)


def choice_but(**said: Any) -> Analysis:
    return but(choices=(msgspec.structs.replace(ANSWER.choices[0], **said),))


def usage_but(**said: Any) -> Analysis:
    return but(usage=msgspec.structs.replace(ANSWER.usage, **said))


def finding(code: str, pointer: str | None = None) -> Finding:
    return Finding(code=code, severity=Severity.WARNING, message="m", where=Where(pointer=pointer))


def value(subject: str, before: Any, after: Any) -> AnalysisChange:
    return AnalysisChange(
        kind=AnalysisChangeKind.VALUE, subject=subject, before=before, after=after
    )


def test_equal_readings_differ_in_nothing() -> None:
    assert changes_between(ANSWER, ANSWER) == ()
    assert changes_between(ANSWER, but(analysis_version=7)) == ()


@pytest.mark.parametrize(
    ("later", "change"),
    [
        (but(verdict=Verdict.CUT_OFF), value("/verdict", "complete", "cut-off")),
        (but(dialect="openai-text"), value("/dialect", "openai-chat", "openai-text")),
        (but(vendor="groq"), value("/vendor", None, "groq")),
        (choice_but(finish_reason=None), value("/choices/0/finish_reason", "stop", None)),
        (choice_but(finish_reason=0), value("/choices/0/finish_reason", "stop", 0)),
        (usage_but(prompt_tokens=4), value("/usage/prompt_tokens", 0, 4)),
        (usage_but(prompt_tokens=None), value("/usage/prompt_tokens", 0, None)),
        (usage_but(reported=False), value("/usage/reported", True, False)),
    ],
)
def test_a_value_that_differs_is_told_both_ways(later: Analysis, change: AnalysisChange) -> None:
    assert changes_between(ANSWER, later) == (change,)
    assert changes_between(later, ANSWER) == (
        msgspec.structs.replace(change, before=change.after, after=change.before),
    )


def test_absent_null_and_zero_are_three_things() -> None:
    absent, null, zero = (usage_but(prompt_tokens=count) for count in (msgspec.UNSET, None, 0))
    pairs = [(absent, null), (null, zero), (absent, zero)]
    assert [len(changes_between(*pair)) for pair in pairs] == [1, 1, 1]
    (change,) = changes_between(absent, zero)
    assert msgspec.to_builtins(change) == {
        "kind": "value",
        "subject": "/usage/prompt_tokens",
        "after": 0,
        "pointer": None,
        "at": None,
    }


def test_a_text_that_differs_is_told_by_its_lengths_and_the_first_character() -> None:
    (change,) = changes_between(ANSWER, choice_but(content="Good mourning"))
    assert (change.kind, change.subject) == (AnalysisChangeKind.TEXT, "/choices/0/content")
    assert (change.before, change.after, change.at) == (12, 13, 7)


@pytest.mark.parametrize(
    ("later", "at"), [("Good morning!", 12), ("Good", 4), ("", 0), ("bad morning", 0)]
)
def test_the_first_character_that_differs_may_be_the_first_one_more(later: str, at: int) -> None:
    (change,) = changes_between(ANSWER, choice_but(content=later))
    assert change.at == at


def test_a_text_that_was_not_there_has_no_first_character() -> None:
    (change,) = changes_between(ANSWER, choice_but(reasoning="Hm."))
    assert (change.subject, change.before, change.after, change.at) == (
        "/choices/0/reasoning",
        msgspec.UNSET,
        3,
        None,
    )


def test_the_arguments_of_a_call_are_a_text_and_calls_are_counted() -> None:
    one = choice_but(tool_calls=(ToolCall(index=0, arguments_text="{}"),))
    other = choice_but(tool_calls=(ToolCall(index=0, arguments_text="{ }"),))
    (change,) = changes_between(one, other)
    assert (change.subject, change.at) == ("/choices/0/tool_calls/0/arguments_text", 1)
    subjects = [change.subject for change in changes_between(ANSWER, one)]
    call = "/choices/0/tool_calls/0"
    assert subjects[0] == "/choices/0/tool_calls"
    assert {f"{call}/arguments_state", f"{call}/arguments_text"} < set(subjects)


def test_what_arguments_are_worth_may_change_where_their_text_does_not() -> None:
    valid, empty = (
        choice_but(function_call=FunctionCall(name="f", arguments_state=state))
        for state in (ArgumentsState.VALID, ArgumentsState.EMPTY)
    )
    at = "/choices/0/function_call/arguments_state"
    assert changes_between(valid, empty) == (value(at, "valid", "empty"),)


def test_a_choice_more_is_counted_and_its_parts_are_new() -> None:
    twice = but(choices=ANSWER.choices * 2)
    found = changes_between(ANSWER, twice)
    assert found[0] == value("/choices", 1, 2)
    assert {change.subject.rpartition("/")[0] for change in found[1:]} == {"/choices/1"}
    assert all(change.before is msgspec.UNSET for change in found[1:])


def test_findings_are_compared_by_code_and_pointer() -> None:
    before = but(findings=(finding("a.one", "/x"), finding("a.one", "/y"), finding("b.two")))
    after = but(findings=(finding("a.one", "/x"), finding("b.two"), finding("b.two")))
    told = [(c.subject, c.pointer, c.before, c.after) for c in changes_between(before, after)]
    assert told == [("a.one", "/y", 1, 0), ("b.two", None, 1, 2)]


def test_many_choices_with_long_texts_are_compared_in_no_time() -> None:
    before = but(choices=(msgspec.structs.replace(ANSWER.choices[0], content="x" * 65_536),) * 500)
    after = but(
        choices=(msgspec.structs.replace(ANSWER.choices[0], content="x" * 65_535 + "y"),) * 500
    )
    found = changes_between(before, after)
    assert len(found) == 500 and {change.at for change in found} == {65_535}
