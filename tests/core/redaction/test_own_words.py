"""Words of a team's own are texts with simple wildcards, in linear time."""

import re

import pytest

from inspector.core.redaction.own_words import WordFault, word_pattern


def found(word: str, text: str) -> list[str]:
    pattern = word_pattern(word)
    assert isinstance(pattern, re.Pattern)
    return [match[0] for match in pattern.finditer(text)]


@pytest.mark.parametrize(
    ("word", "text", "wanted"),
    [
        ("Nightjar", "project nightjar, NIGHTJAR!", ["nightjar", "NIGHTJAR"]),
        ("Nightjar", "nightjars and Xnightjar", []),
        ("Nightjar*", "nightjars", ["nightjars"]),
        ("Project Nightjar", "project \n nightjar", ["project \n nightjar"]),
        ("EMP-####", "EMP-1234 EMP-123 EMP-12345", ["EMP-1234"]),
        ("K?-abc", "Kx-abc", ["Kx-abc"]),
        ("夜鷹計画", "これは夜鷹計画です", ["夜鷹計画"]),
        ("Käuzchen", "das KÄUZCHEN ruft", ["KÄUZCHEN"]),
        ('"a.b*c"', "a.b*c axbc", ["a.b*c"]),
        ("Ann", "我叫Ann。", ["Ann"]),
        ("acme-*-key", "acme-prod_1-key", ["acme-prod_1-key"]),
    ],
)
def test_a_word_is_found_as_a_word(word: str, text: str, wanted: list[str]) -> None:
    assert found(word, text) == wanted


@pytest.mark.parametrize(
    "word", ["(a+)+$", "^(a|aa)+$", r"\d{16}", "[a-z]+@x", "(.*a){20}", "(?i)secret", "a.*b"]
)
def test_a_regular_expression_is_refused_and_the_reason_said(word: str) -> None:
    assert word_pattern(word) is WordFault.EXPRESSION


@pytest.mark.parametrize(
    ("word", "fault"),
    [
        ("", WordFault.SHORT),
        ("a", WordFault.SHORT),
        ("***", WordFault.SHORT),
        ("ab*cd", WordFault.NEVER),
        ("x" * 201, WordFault.LONG),
    ],
)
def test_what_cannot_be_a_word_is_refused(word: str, fault: WordFault) -> None:
    assert word_pattern(word) is fault


def test_wildcards_over_text_that_nearly_fits_end() -> None:
    assert found("abc*-*-*-*-*-#", "abc-a" * 40_000) == []
