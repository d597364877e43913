import pytest

from inspector.core.completion import ArgumentsState, FunctionCall, ToolCall
from inspector.dashboard.capture.tool_calls.call_text import CallTextDisplay, call_text_display
from tests.dashboard.capture.samples import text_of


def shown(text: str, state: ArgumentsState, invalid_at: int | None = None) -> CallTextDisplay:
    call = ToolCall(index=0, arguments_text=text, arguments_state=state, invalid_at=invalid_at)
    return call_text_display(call)


def test_an_invalid_text_is_parted_at_the_breaking_character() -> None:
    call = shown('{"a": LEJ}', ArgumentsState.INVALID, 6)
    assert (text_of(call.before), call.breaking, text_of(call.after)) == ('{"a": ', "L", "EJ}")
    assert call.broken and call.state_words == "arguments are not valid JSON"


def test_a_truncated_text_breaks_at_its_end() -> None:
    call = shown('{"a":"collect_', ArgumentsState.TRUNCATED, 14)
    assert (text_of(call.before), call.breaking, text_of(call.after)) == (
        '{"a":"collect_', "\u00a0", "",
    )  # fmt: skip


def test_a_valid_text_does_not_break() -> None:
    call = shown("{}", ArgumentsState.VALID)
    assert (text_of(call.before), call.breaking, text_of(call.after)) == ("{}", "", "")


def test_a_long_text_keeps_head_and_tail_in_one_line() -> None:
    call = shown('{"a":"' + "x" * 300 + '"}', ArgumentsState.VALID)
    assert len(call.short) == 44 and call.short_end.endswith('"}')


@pytest.mark.parametrize("name, word", [(None, "null"), ("", "empty string")])
def test_a_name_that_is_none_is_a_word(name: str | None, word: str) -> None:
    call = call_text_display(FunctionCall(name=name))
    assert (call.name, call.name_sent, call.index) == (word, False, None)
