import pytest

from inspector.core.completion import ArgumentsState, ToolCall
from inspector.core.tool_calls.argument_repair import propose_argument_repair
from inspector.dashboard.capture.tool_calls.argument_text import (
    CLIPPED_CHARACTERS,
    ArgumentTextPart,
    argument_text_parts,
)
from tests.core.tool_calls.test_argument_repair import call

SIGNS = {"": "{}", "put-in": "<+{}>", "left-out": "<-{}>", "break": "<!{}>"}


def pieces(
    text: str, limit: int = CLIPPED_CHARACTERS, repaired: bool = True
) -> tuple[ArgumentTextPart, ...]:
    shown = call(text)
    return argument_text_parts(shown, propose_argument_repair(shown) if repaired else None, limit)


def drawn(found: tuple[ArgumentTextPart, ...]) -> str:
    told = ""
    for piece in found:
        text = "".join(part.text for part in piece.text)
        told += f"<…{piece.length}>" if piece.kind == "gap" else SIGNS[piece.kind].format(text)
    return told


@pytest.mark.parametrize(
    "text, wanted",
    [
        ('{"a":1}', '{"a":1}'),
        ('{"a', '{"a<!\u00a0><+":null}>'),
        ("[1,", "[1<-,><!\u00a0><+]>"),
        ('{"a":1} thanks', '{"a":1} <!t><-hanks>'),
        ('{"a": oops}', '{"a": <!o><-ops><+"oops">}'),
        ('{"a":"x\ny"}', '{"a":"x<!\u00a0><+\\n>y"}'),
    ],
)
def test_the_break_and_the_repair_stand_inside_the_text(text: str, wanted: str) -> None:
    assert drawn(pieces(text)) == wanted


def test_a_break_without_repair_is_shown_all_the_same() -> None:
    assert drawn(pieces('{"a":1}{"b":2}')) == '{"a":1}<!{>"b":2}'
    assert drawn(pieces('{"a', repaired=False)) == '{"a<!\u00a0>'


def test_the_breaking_character_can_be_copied_and_the_end_of_a_text_cannot() -> None:
    codes = [piece.code for piece in pieces('{"a":"x\ny"}') if piece.kind == "break"]
    assert codes == ["a"]
    assert [piece.code for piece in pieces('{"a') if piece.kind == "break"] == [""]


def test_what_came_can_be_read_off_the_pieces() -> None:
    text = "{'a': True, 'b\u202e': [1 2]}"
    kept = ""
    for piece in pieces(text):
        if piece.kind == "break":
            kept += chr(int(piece.code, 16))
        elif piece.kind != "put-in":
            kept += "".join(part.character or part.text for part in piece.text)
    assert kept == text


def test_a_long_text_shows_its_beginning_and_its_end() -> None:
    shown = pieces('{"a":"' + "x" * 200 + '"}', limit=40)
    assert drawn(shown) == '{"a":"' + "x" * 14 + "<…168>" + "x" * 18 + '"}'


def test_a_long_text_that_breaks_shows_both_sides_of_the_break() -> None:
    shown = pieces('{"a":"' + "x" * 100 + '", oops' + "y" * 100, limit=40)
    assert drawn(shown) == (
        '{"a":"' + "x" * 14 + "<…79>" + "x" * 7 + '", <!o>' + "ops" + "y" * 6 + "<…94>"
    )


def test_a_long_text_that_was_cut_shows_its_end() -> None:
    assert drawn(pieces('{"a":"' + "x" * 100, limit=40)).endswith("x<!\u00a0>")


def test_free_text_does_not_break() -> None:
    custom = ToolCall(index=0, arguments_text="ls {", arguments_state=ArgumentsState.FREE_TEXT)
    assert drawn(argument_text_parts(custom, None, CLIPPED_CHARACTERS)) == "ls {"
