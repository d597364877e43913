import pytest

from inspector.query.caret import CaretWord, word_at
from inspector.query.tree import Operator

IS = Operator.IS


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("|", CaretWord(0, 0, "")),
        ("ven|", CaretWord(0, 3, "ven")),
        ("ven|dor", CaretWord(0, 6, "ven")),
        ("late ven| tag:eu", CaretWord(5, 8, "ven")),
        ("late | tag:eu", CaretWord(5, 5, "")),
        ("-ven|", CaretWord(1, 4, "ven")),
        ("(ven|)", CaretWord(1, 4, "ven")),
        ("ven|dor:openai", CaretWord(0, 13, "ven")),
        ("vendor:|", CaretWord(0, 7, "", "vendor", IS, 7, 7)),
        ("-vendor:op|enai x", CaretWord(1, 14, "op", "vendor", IS, 8, 14)),
        ("result:truncated,em|", CaretWord(0, 19, "em", "result", IS, 17, 19)),
        ("result:tru|ncated,empty", CaretWord(0, 22, "tru", "result", IS, 7, 16)),
        ("first_token>2|", CaretWord(0, 13, "2", "first_token", Operator.MORE, 12, 13)),
        ("cost:<=|", CaretWord(0, 7, "", "cost", Operator.AT_MOST, 7, 7)),
        ('tag:"eu w|', CaretWord(0, 9, "eu w", "tag", IS, 4, 9)),
        ('"late ven|dor:', CaretWord(0, 13, '"late ven')),
    ],
)
def test_the_word_at_the_caret_says_what_of_it_is_written(text: str, word: CaretWord) -> None:
    assert word_at(text.replace("|", ""), text.index("|")) == word


def test_a_caret_beyond_the_text_stands_at_its_end() -> None:
    assert word_at("ven", 99) == word_at("ven", 3)
