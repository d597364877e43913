"""The figures of the code's shape, on small trees that are written for each test."""

from pathlib import Path

from development.structure import (
    Module,
    classes_by_name,
    importers,
    modules,
    mutual_folders,
    repeated_classes,
)


def tree(root: Path, files: dict[str, str]) -> list[Module]:
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return modules(root)


def module(text: str) -> Module:
    return Module("inspector.core.reading", text, is_package=False)


def test_modules_of_the_product_are_found_and_migrations_are_not(tmp_path: Path) -> None:
    found = tree(
        tmp_path,
        {
            "inspector/core/__init__.py": "",
            "inspector/core/reading.py": "",
            "inspector/archive/migrations/0001_initial.py": "",
            "api/root.py": "",
            "tests/test_root.py": "",
        },
    )
    assert [module.name for module in found] == [
        "api.root",
        "inspector.core",
        "inspector.core.reading",
    ]


def test_classes_of_one_name_are_named_with_their_modules(tmp_path: Path) -> None:
    found = tree(
        tmp_path,
        {
            "inspector/core/sse.py": "class Event: ...\nclass Tail: ...\n",
            "api/stream.py": "class Event: ...\n",
        },
    )
    assert repeated_classes(found) == {"Event": ["api.stream", "inspector.core.sse"]}
    text = "class Row:\n    class Cell: ...\nclass Table:\n    class Cell: ...\n"
    assert list(repeated_classes([module(text)])) == ["Cell"]


def test_private_classes_and_names_that_django_prescribes_are_not_counted() -> None:
    text = "class _Row: ...\nclass Team:\n    class Meta: ...\nclass Command: ...\n"
    assert list(classes_by_name([module(text)])) == ["Team"]


def test_importers_are_found_however_a_module_is_imported(tmp_path: Path) -> None:
    found = tree(
        tmp_path,
        {
            "inspector/tape.py": "class Tape: ...\n",
            "inspector/a.py": "import inspector.tape\n",
            "inspector/b.py": "from inspector import tape\n",
            "inspector/c.py": "def late():\n    from inspector.tape import Tape\n",
            "inspector/d.py": "import json\nfrom os import path\n",
        },
    )
    users = importers(found)
    assert users["inspector.tape"] == {"inspector.a", "inspector.b", "inspector.c"}
    assert users["inspector.d"] == set()


def test_a_module_that_imports_itself_is_not_its_own_importer() -> None:
    reading = module("from inspector.core.reading import Reading\n")
    assert importers([reading]) == {"inspector.core.reading": set()}


def test_folders_that_import_each_other_are_told_but_not_one_inside_another(tmp_path: Path) -> None:
    found = tree(
        tmp_path,
        {
            "inspector/reading.py": "from inspector.wire import sse\n",
            "inspector/fold/answer.py": "from inspector.json import spans\n",
            "inspector/fold/calls.py": "from inspector.json.spans import Span\n",
            "inspector/json/spans.py": "from inspector.fold.answer import Answer\n",
            "inspector/wire/sse.py": "from inspector.json import spans\nimport inspector.reading\n",
        },
    )
    pairs = mutual_folders(found, importers(found))
    assert pairs == ["inspector.fold 2 <> 1 inspector.json"]
