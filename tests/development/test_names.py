"""No class shares its name with another, and the glossary has each main word once."""

import re

from development.runs import ROOT
from development.structure import modules, repeated_classes

SHARED_NAMES = {"DatabaseWrapper": "Django finds the class of a database by this name."}
"""Class names that stand for several classes, each with its reason."""
MAX_WORDS = 45
MAX_CHARACTERS = 110
ROW = re.compile(r"\| (?P<word>[\w ]+) \| (?P<meaning>.+) \|")


def test_no_class_shares_its_name_with_another_but_for_a_reason() -> None:
    assert set(repeated_classes(modules(ROOT))) == set(SHARED_NAMES)


def test_the_glossary_has_few_words_once_and_says_each_in_a_line() -> None:
    lines = (ROOT / "docs/glossary.md").read_text().splitlines()
    words = [row["word"] for row in map(ROW.fullmatch, lines) if row and row["word"] != "word"]
    assert len(words) == len(set(words))
    assert 30 < len(words) <= MAX_WORDS
    assert [line for line in lines if len(line) > MAX_CHARACTERS + 40] == []
