"""An argument text: its value, where it stops being JSON, and why."""

import pytest

from inspector.core.completion import ArgumentsCause, ArgumentsState
from inspector.core.tool_calls.arguments import STATE_WORDS, ArgumentContext, examine_arguments


@pytest.mark.parametrize(
    ("text", "state", "invalid_at"),
    [
        ("", ArgumentsState.EMPTY, None),
        ("{}", ArgumentsState.VALID, None),
        ('"text"', ArgumentsState.VALID, None),
        (" ", ArgumentsState.TRUNCATED, 1),
        ('{"a":', ArgumentsState.TRUNCATED, 5),
        ('{"a":"collect_', ArgumentsState.TRUNCATED, 14),
        ('{"\u00e9":1', ArgumentsState.TRUNCATED, 6),
        ("{'a':1}", ArgumentsState.INVALID, 1),
        ('{"\u00e9":1,}', ArgumentsState.INVALID, 7),
        ('{"a":trUe}', ArgumentsState.INVALID, 7),
        ("[" * 2000 + "]" * 2000, ArgumentsState.INVALID, 64),
        ('{"n":' + "9" * 5000 + "}", ArgumentsState.INVALID, 5),
        ('{"a":1,"a":2}', ArgumentsState.VALID, None),
    ],
)
def test_where_it_breaks_is_named(text: str, state: ArgumentsState, invalid_at: int | None) -> None:
    found = examine_arguments(text)
    assert (found.state, found.invalid_at) == (state, invalid_at)


def test_the_break_is_placed_in_characters_and_in_bytes() -> None:
    found = examine_arguments('{"\u00e9\U0001f600":1,}')
    assert (found.invalid_at, found.invalid_at_byte) == (8, 12)


def cause(*pieces: str, **clues: object) -> ArgumentsCause | None:
    return examine_arguments("".join(pieces), ArgumentContext(pieces, **clues)).cause  # type: ignore[arg-type]


CASES: dict[ArgumentsCause, tuple[str, ...]] = {
    ArgumentsCause.CONTROL_CHARACTER: ('{"a":"one\ntwo"}',),
    ArgumentsCause.DOUBLE_ENCODED: (r'"{\"a\":1}"',),
    ArgumentsCause.EMPTY_OBJECT_PREFIX: ("{}", '{"a":', "1}"),
    ArgumentsCause.GLUED_VALUES: ('{"a":1}{"b":2}',),
    ArgumentsCause.INDEX_COLLISION: ('{"a":', '{"b":2}', "1}}"),
    ArgumentsCause.LENGTH_LIMIT: ('{"a":',),
    ArgumentsCause.MALFORMED: ('{"a":1,}',),
    ArgumentsCause.MARKDOWN_FENCE: ('```json\n{"a":1}\n```',),
    ArgumentsCause.NOT_AN_OBJECT: ("[1]",),
    ArgumentsCause.NUMBER_OUT_OF_RANGE: ('{"a":' + "9" * 5000 + "}",),
    ArgumentsCause.PYTHON_LITERAL: ("{'a': True}",),
    ArgumentsCause.REPEATED_NAME: ('{"a":1,"a":2}',),
    ArgumentsCause.SENT_AGAIN: ('{"a"', ":1}", '{"a":1}'),
    ArgumentsCause.TOO_DEEP: ("[" * 65 + "]" * 65,),
    ArgumentsCause.TRAILING_TEXT: ('{"a":1} as you asked',),
    ArgumentsCause.TRUNCATED: ('{"a":',),
}
CLUES: dict[ArgumentsCause, dict[str, object]] = {
    ArgumentsCause.INDEX_COLLISION: {"shared_from": 1},
    ArgumentsCause.LENGTH_LIMIT: {"at_limit": True},
}


@pytest.mark.parametrize("expected", ArgumentsCause)
def test_every_cause_is_recognised_and_has_a_sentence(expected: ArgumentsCause) -> None:
    assert cause(*CASES[expected], **CLUES.get(expected, {})) is expected
    assert STATE_WORDS[expected]


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (('{"a"', '{"a":1', '{"a":1}'), ArgumentsCause.SENT_AGAIN),
        (('{"a"', ":1", '{"a":1}'), ArgumentsCause.SENT_AGAIN),
        (('{"a":1}{ "a": 1 }',), ArgumentsCause.SENT_AGAIN),
        (('{"a":1}\n{"a":1}',), ArgumentsCause.SENT_AGAIN),
        (('{"a":', '{"a": 1}', " 1}"), ArgumentsCause.SENT_AGAIN),
        (('{"a":', '{"a": 2}', " 1}"), ArgumentsCause.MALFORMED),
        (("{", "{", '"a":1}}'), ArgumentsCause.MALFORMED),
        (('{"a":1}', '{"a":1}x'), ArgumentsCause.GLUED_VALUES),
        (("{ }", '{"a":'), ArgumentsCause.EMPTY_OBJECT_PREFIX),
        (("null", '{"a":1}'), ArgumentsCause.EMPTY_OBJECT_PREFIX),
        (("[1][2]",), ArgumentsCause.GLUED_VALUES),
        (('{"a":1}}',), ArgumentsCause.TRAILING_TEXT),
        (('{"a":1}\xa0',), ArgumentsCause.TRAILING_TEXT),
        (('{"a":1}\v',), ArgumentsCause.TRAILING_TEXT),
        (('{"a":1}\n```',), ArgumentsCause.MARKDOWN_FENCE),
        (('{"a":None}',), ArgumentsCause.PYTHON_LITERAL),
        (('{"a":NaN}',), ArgumentsCause.PYTHON_LITERAL),
        (('{"a":-Infinity}',), ArgumentsCause.PYTHON_LITERAL),
        (('{"a":"it\'s"x}',), ArgumentsCause.MALFORMED),
        (('{"a":Nothing}',), ArgumentsCause.MALFORMED),
        (('{"a":"\\\'"}',), ArgumentsCause.MALFORMED),
        (("{a:1}",), ArgumentsCause.MALFORMED),
        (("I will call it.",), ArgumentsCause.MALFORMED),
    ],
)
def test_causes_are_told_apart(pieces: tuple[str, ...], expected: ArgumentsCause) -> None:
    assert cause(*pieces) is expected


@pytest.mark.parametrize("text", ["null", "[1]", "5", '"x"', "true", '"{"', '"[x]"', " 1.5 "])
def test_json_that_is_no_object_cannot_be_used(text: str) -> None:
    found = examine_arguments(text)
    assert (found.state, found.cause) == (ArgumentsState.VALID, ArgumentsCause.NOT_AN_OBJECT)


@pytest.mark.parametrize("text", ["{}", '{"a":"```"}', '{"a":"\\n"}', ""])
def test_a_text_that_can_be_used_has_no_cause(text: str) -> None:
    assert cause(text) is None
