from typing import Any

from inspector.dashboard.archive.answer_cell import (
    AnswerCell,
    RowSnippet,
    answer_cell,
    find_fragment,
)
from tests.dashboard.capture.samples import row


def texts(cell: AnswerCell) -> list[str]:
    return ["".join(segment.text for segment in part.segments) for part in cell.parts]


def answered(kind: str, line: str, blank: str | None = None, **more: Any) -> AnswerCell:
    return answer_cell(row(answer_kind=kind, answer_line=line, answer_blank=blank), **more)


def test_a_text_needs_no_word_in_front() -> None:
    cell = answered("text", "On Thursday.")
    assert (cell.label, cell.blank, texts(cell)) == ("", "", ["On Thursday."])


def test_a_fence_goes_with_its_language() -> None:
    for line, shown in (
        ('```json { "greeting": "Hello there!" } ```', '{ "greeting": "Hello there!" }'),
        ("Here: ```c++ main(); ``` Done.", "Here: main(); Done."),
        ("## The `json` **module**", "The json module"),
        ("``` plain ```", "plain"),
    ):
        assert texts(answered("text", line)) == [shown]


def test_the_name_of_a_call_is_set_apart_from_its_arguments() -> None:
    cell = answered("call", 'create_ticket {"title":"hold"}', "null")
    assert texts(cell) == ["create_ticket", ' {"title":"hold"}']
    assert [part.is_name for part in cell.parts] == [True, False]
    assert cell.blank == ""


def test_what_is_no_text_says_what_it_is() -> None:
    assert answered("refusal", "No.").label == "refusal"
    assert answered("error", "Rate limit").label == "error"
    thought = answered("reasoning", "Hm.", '""')
    assert (thought.label, thought.blank) == ("in reasoning", "empty string")


def test_an_answer_that_says_nothing_shows_what_was_sent() -> None:
    for sent, shown in (('""', "empty string"), ("null", "null"), ('"\\n\\n"', '"\\n\\n"')):
        cell = answered("nothing", "The answer is empty.", sent)
        assert (cell.blank, cell.parts) == (shown, ())
    assert texts(answered("nothing", "The body is empty.")) == ["The body is empty."]


def test_hidden_and_turning_characters_are_named() -> None:
    (part,) = answered("text", "a\u202eb\x07").parts
    assert [segment.text for segment in part.segments] == ["a", "[RLO]", "b", "[BEL]"]


def test_a_capture_without_a_line_has_an_empty_cell() -> None:
    cell = answer_cell(row(answer_kind=None, answer_line=None))
    assert (cell.kind, cell.parts, cell.blank, cell.label) == ("", (), "", "")


HIT = RowSnippet("…the hold clears on Thursday, and", "text", ((10, 28),))


def test_a_snippet_takes_the_place_of_the_line_with_its_hits_marked() -> None:
    cell = answered("text", "The bank", snippet=HIT)
    assert texts(cell) == ["…the hold ", "clears on Thursday", ", and"]
    assert [part.is_hit for part in cell.parts] == [False, True, False]
    assert cell.find == "find=clears%20on%20Thursday"


def test_a_snippet_of_the_prompt_says_so_behind_an_empty_answer() -> None:
    cell = answered("nothing", "", "null", snippet=RowSnippet("do not refund", "prompt"))
    assert (cell.label, cell.blank, cell.find) == ("in prompt", "null", "")
    cell = answered("reasoning", "x", '""', snippet=RowSnippet("hold", "reasoning", ((0, 4),)))
    assert (cell.label, cell.blank) == ("in reasoning", "empty string")


def test_what_is_looked_for_on_the_page_of_a_hit_is_safe_in_an_address() -> None:
    hostile = RowSnippet('"><script>&#', "text", ((0, 12),))
    assert find_fragment(hostile) == "find=%22%3E%3Cscript%3E%26%23"
