import json

from hypothesis import given
from hypothesis import strategies as st

from inspector.core.json.edits import (
    EditKind,
    edits_between,
    inserted_passage,
    kept_passage,
    omitted_passage,
    proposal_of,
)
from inspector.core.text.text_diff import MAX_PAIRS


def drawn(text: str, changed: str) -> str:
    signs = {EditKind.KEPT: "{}", EditKind.PUT_IN: "<+{}>", EditKind.LEFT_OUT: "<-{}>"}
    proposal = proposal_of(edits_between(text, changed), text)
    if proposal is None:
        return "none"
    return "".join(signs[each.change].format(each.text) for each in proposal.passages)


def test_white_space_and_spelling_are_no_difference() -> None:
    assert drawn('{ "é" : "\\u00e9",\n "n": 1.10 }', '{"é":"é","n":1.1}') == (
        '{ "é" : "\\u00e9",\n "n": 1.10 }'
    )


def test_what_is_put_in_stands_at_its_place() -> None:
    assert drawn("[1 2]", "[1,2]") == "[1<+,> 2]"
    assert drawn('{"a":1', '{"a":1}') == '{"a":1<+}>'


def test_the_end_of_a_string_is_put_in() -> None:
    assert drawn('"ab', '"ab"') == '"ab<+">'


def test_what_is_left_out_keeps_the_space_before_it() -> None:
    assert drawn("[1, ]", "[1]") == "[1<-,> ]"
    assert drawn("Sure: [1] ok?", "[1]") == "<-Sure:> [1] <-ok?>"


def test_two_strings_differ_by_what_is_between_their_ends() -> None:
    assert drawn('["a\tc"]', '["a\\tc"]') == '["a<-\t><+\\t>c"]'


def test_too_much_that_differs_is_not_compared() -> None:
    many = round(MAX_PAIRS**0.5)
    assert edits_between(" ".join("a" * many), " ".join("b" * (many + 1))) == []
    long = json.dumps(list(range(5_000)))
    assert drawn(long.replace("[0,", "[0"), long) == long.replace("[0,", "[0<+,>")


def test_only_json_that_begins_from_the_text_is_a_proposal() -> None:
    assert proposal_of([kept_passage("{"), inserted_passage("}")], "{") is not None
    assert proposal_of([kept_passage("{")], "{") is None
    assert proposal_of([kept_passage("{}")], "[]") is None
    assert proposal_of([kept_passage("1"), omitted_passage("2")], "12") is not None


@given(st.text(max_size=60), st.text(max_size=60))
def test_the_passages_always_spell_the_text(text: str, changed: str) -> None:
    edits = edits_between(text, changed)
    assert "".join(each.text for each in edits if each.change is not EditKind.PUT_IN) == text
