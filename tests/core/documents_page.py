"""The page of the documents' statements, from the tests that quote them;
``python -m tests.core.documents_page`` prints it.
"""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from inspector.core.formats.reference_documents import REFERENCE_DOCUMENTS
from tests.core.documents.statements import Statement, Test
from tests.core.rules_page import in_cell, reference

FOLDER = Path(__file__).parent / "documents"

HEAD = """# The reference documents

Every statement of the five reference documents, what Response Inspector does about it, and what holds it to that: the
[rules](rules.md) that check an answer against the statement, and the test that quotes it.

{documents}
"""
ROWS = (
    "| statement | quote | what Response Inspector does | rules | tests |\n|---|---|---|---|---|\n"
)


def page() -> str:
    listed = "\n".join(
        f"- {number}: {reference(document)}" for number, document in REFERENCE_DOCUMENTS.items()
    )
    return "\n".join([HEAD.format(documents=listed), *map(section, REFERENCE_DOCUMENTS)])


def statements() -> dict[Statement, list[str]]:
    """Every statement in the order of the documents, with the names of its tests."""
    return {each: [test.__name__ for test in tests] for each, tests in tested().items()}


def tested() -> dict[Statement, list[Test]]:
    """Every statement with its tests."""
    found: dict[Statement, list[Test]] = {}
    for file in sorted(FOLDER.glob("test_0*.py")):
        members = vars(import_module(f"tests.core.documents.{file.stem}")).items()
        own = [test for name, test in members if name.startswith("test_")]
        for test in own:
            if hasattr(test, "statement"):
                found[test.statement] = [test]
        for test in own:
            about = getattr(test, "also_about", None)
            for statement in found:
                if (statement.document, statement.name) == about:
                    found[statement].append(test)
    return found


def section(number: str) -> str:
    held = [(each, tests) for each, tests in statements().items() if each.document == number]
    (file,) = FOLDER.glob(f"test_{number}_*.py")
    name = REFERENCE_DOCUMENTS[number].name
    head = f"## {number}: {name[:1].upper()}{name[1:]}\n\n{len(held)} statements"
    return f"{head}, held by `tests/core/documents/{file.name}`.\n\n{ROWS}{''.join(rows(held))}"


def rows(held: list[tuple[Statement, list[str]]]) -> Iterator[str]:
    for statement, tests in held:
        cells = [
            in_cell(statement.name),
            f"“{in_cell(statement.quote)}”",
            in_cell(statement.answer),
            ", ".join(f"`{code}`" for code in statement.rules),
            ", ".join(f"`{name.removeprefix('test_')}`" for name in tests),
        ]
        yield f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    print(page(), end="")
