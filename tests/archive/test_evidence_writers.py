"""Evidence is written where it arrives and where it is overwritten, and nowhere else."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
ROWS = {"Evidence", "EvidenceSegment"}
WRITES = {
    "bulk_create", "bulk_update", "create", "delete", "get_or_create", "save", "update",
    "update_or_create",
}  # fmt: skip
WRITERS = {
    "inspector/archive/storage/evidence.py": "replaces it, for the two below",
    "inspector/archive/intake/recording.py": "adds to a call that is still recorded",
    "inspector/archive/intake/recording_end.py": "takes its segments away at the end",
    "inspector/archive/body_deletion.py": "deletes it",
}
"""Who writes rows, and what for. A deletion is told by ``content_rows`` which ones to delete."""
REPLACERS = {
    "inspector/archive/rewriting.py": "overwrites it",
    "inspector/archive/intake/recording_end.py": "puts the whole call in place of its segments",
}


def sources(word: str) -> Iterator[tuple[str, ast.Module]]:
    """The modules with the word in their text."""
    for source in (ROOT / "inspector").rglob("*.py"):
        if word in (text := source.read_text()):
            yield str(source.relative_to(ROOT)), ast.parse(text)


def writes(tree: ast.Module) -> list[str]:
    """Calls that write rows of evidence, also by a name that was given to a query of them."""
    named = ROWS | {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and names_in(node.value) & ROWS
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return [
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in WRITES
        and root_of(node.func) in named
    ]


def names_in(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def root_of(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def replaces(tree: ast.Module) -> bool:
    return any(
        isinstance(node, ast.Attribute) and ast.unparse(node) == "evidence.replace"
        for node in ast.walk(tree)
    )


def test_rows_of_evidence_are_written_by_those_that_say_what_for() -> None:
    assert {path for path, tree in sources("Evidence") if writes(tree)} == set(WRITERS)


def test_evidence_is_replaced_by_the_end_of_a_recording_and_by_the_rewriter_alone() -> None:
    assert {path for path, tree in sources("evidence") if replaces(tree)} == set(REPLACERS)


@pytest.mark.parametrize(
    "program",
    [
        "Evidence.objects.filter(pk=1).update(body=b'')",
        "rows = Evidence.objects.all()\nrows.update(body=b'')",
        "Evidence(capture=one).save()",
        "EvidenceSegment.objects.bulk_create([])",
    ],
)
def test_another_writer_would_be_seen(program: str) -> None:
    assert writes(ast.parse(program))


def test_reading_it_is_no_writing() -> None:
    assert not writes(ast.parse("Evidence.objects.filter(pk=1).values_list('body').first()"))
