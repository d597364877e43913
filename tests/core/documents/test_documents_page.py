"""The page of the statements: current, complete, and naming what exists."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from inspector.core.rules import finding_codes
from tests.core import documents_page

MAX_WORDS = 20


def test_the_page_says_what_the_tests_quote() -> None:
    written = Path(__file__).parents[3] / "docs" / "documents.md"
    assert written.read_text() == documents_page.page()


def test_every_statement_of_every_document_is_there_once() -> None:
    found = documents_page.statements()
    counts = Counter(statement.document for statement in found)
    assert counts == {"000": 33, "001": 12, "002": 20, "003": 19, "004": 14}
    assert len({(each.document, each.name) for each in found}) == 98


def test_a_statement_names_rules_that_exist_and_quotes_little() -> None:
    known = set(finding_codes())
    for statement in documents_page.statements():
        assert set(statement.rules) <= known, statement.name
        assert 0 < len(statement.quote.split()) <= MAX_WORDS, statement.name
        assert statement.answer.endswith("."), statement.name


def test_every_further_test_is_about_a_statement() -> None:
    names = [name for tests in documents_page.statements().values() for name in tests]
    own = [
        line.removeprefix("def ").partition("(")[0]
        for file in sorted(documents_page.FOLDER.glob("test_0*.py"))
        for line in file.read_text().splitlines()
        if line.startswith("def test_")
    ]
    assert sorted(names) == sorted(own)
