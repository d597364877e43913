"""The page of the statements: current, complete, and naming what exists."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from inspector.core import rules
from inspector.core.findings import Finding
from inspector.core.rule_context import RuleContext
from inspector.core.rules import finding_codes
from inspector.core.rules.added_findings import ADDED_FINDINGS
from tests.core import documents_page
from tests.core.bodies import analysis
from tests.core.documents.statements import Test
from tests.core.rules.rule_cases import CASES

MAX_WORDS = 20
CHAT, LEGACY = ("openai-chat", "workflowai"), ("openai-text",)


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


def test_the_findings_of_a_statement_come_on_answers_of_its_format() -> None:
    added = {each.code for each in ADDED_FINDINGS}
    for statement, tests in documents_page.tested().items():
        for code in set(statement.rules) - codes_told_in(tests) - added:
            formats = LEGACY if statement.document == "004" else CHAT
            assert dialect_of_case(code) in formats, (statement.name, code)


def codes_told_in(tests: list[Test]) -> set[str]:
    """The codes of all findings that come while these tests run, with each of their parameters."""
    told: set[str] = set()
    run_rules = rules.run_rules

    def noted(context: RuleContext) -> tuple[Finding, ...]:
        found = run_rules(context)
        told.update(finding.code for finding in found)
        return found

    with patch.object(rules, "run_rules", noted):
        for test in tests:
            for arguments in arguments_of(test):
                test(**arguments)
    return told


def arguments_of(test: Test) -> Iterator[dict[str, Any]]:
    marks = getattr(test, "pytestmark", [])
    if not marks:
        yield {}
    for mark in marks:
        names, rows = mark.args
        for row in rows:
            yield {names: row} if isinstance(names, str) else dict(zip(names, row, strict=True))


def dialect_of_case(code: str) -> str | None:
    case = CASES[code][0]
    body, known = case if isinstance(case, tuple) else (case, {})
    return analysis(body, **known).dialect


def test_every_further_test_is_about_a_statement() -> None:
    names = [name for tests in documents_page.statements().values() for name in tests]
    own = [
        line.removeprefix("def ").partition("(")[0]
        for file in sorted(documents_page.FOLDER.glob("test_0*.py"))
        for line in file.read_text().splitlines()
        if line.startswith("def test_")
    ]
    assert sorted(names) == sorted(own)
