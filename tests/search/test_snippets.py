"""The window around a hit: the hit is near its beginning, and it begins with a word."""

from inspector.core.search.search_terms import parse_terms
from inspector.core.search.searchable_texts import TextKind
from inspector.search.snippets import BEFORE_CHARACTERS, Snippet, snippet_of


def snippet(text: str, searched: str) -> Snippet:
    found = snippet_of(parse_terms(searched), {TextKind.ANSWER: (text,)})
    assert found is not None
    return found


def marked(found: Snippet) -> list[str]:
    return [text for text, is_marked in found.pieces if is_marked]


def test_a_hit_near_the_beginning_shows_the_text_from_there() -> None:
    found = snippet("The parcel arrives on Monday.", "parcel")
    assert (found.text, found.is_cut_before) == ("The parcel arrives on Monday.", False)


def test_a_hit_further_on_has_a_few_whole_words_before_it() -> None:
    found = snippet("Customers ask again and again whether the parcel arrives.", "parcel")
    assert found.text == "and again whether the parcel arrives."
    assert found.is_cut_before
    assert marked(found) == ["parcel"]


def test_where_the_place_is_named_first_the_hit_is_nearer() -> None:
    text = "Customers ask again and again whether the parcel arrives."
    found = snippet_of(parse_terms("parcel"), {TextKind.REASONING: (text,)})
    assert found is not None
    assert found.text == "the parcel arrives."


def test_what_has_no_spaces_is_cut_anywhere() -> None:
    found = snippet("天" * 50 + "包裹", "包裹")
    assert found.text == "天" * BEFORE_CHARACTERS + "包裹"
    assert marked(found) == ["包裹"]


def test_a_hit_at_the_beginning_of_a_long_word_is_not_cut() -> None:
    found = snippet("x" * 90 + "-parcel", "parcel")
    assert found.text == "x" * (BEFORE_CHARACTERS - 1) + "-parcel"
