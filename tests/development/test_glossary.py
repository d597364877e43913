"""The glossary has a sentence for every public class, and no class shares its name with another."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

import pytest

from development.runs import ROOT
from development.structure import FRAMEWORK_NAMES, Module, modules, repeated_classes

PACKAGES = (
    "inspector.core",
    "inspector.query",
    "inspector.work",
    "inspector.archive",
    "inspector.search",
    "inspector.usage",
    "inspector.feedback",
    "inspector.telemetry",
    "inspector.teams",
    "api",
)
SHARED_NAMES = {
    "Channel": "kombu names the class of each broker so",
    "Transport": "kombu names the class of each broker so",
}
"""Class names that stand for several classes, each with its reason."""
MAX_SHARED_NAMES = 10
MAX_CHARACTERS = 110
ENTRY = re.compile(r"- `(?P<name>\w+)` (?P<sentence>.+)")

Noun = tuple[str, str]
"""A folder and a name."""


def entries(glossary: str) -> Iterator[tuple[Noun, str]]:
    """The nouns below the headings that name their folders, each with its sentence."""
    folder = ""
    for line in glossary.splitlines():
        if line.startswith("#"):
            folder = line.lstrip("# ").partition(":")[0]
        elif entry := ENTRY.fullmatch(line):
            yield (folder, entry["name"]), entry["sentence"]


def classes(found: Iterable[Module]) -> Iterator[Noun]:
    for module in found:
        for name in module.public_classes():
            if name not in FRAMEWORK_NAMES:
                yield module.folder.replace(".", "/"), name


def aliases(found: Iterable[Module]) -> Iterator[Noun]:
    """Names such as ``StreamItem = Event | Comment``; the glossary may have them."""
    for module in found:
        for node in module.tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                yield module.folder.replace(".", "/"), node.targets[0].id


@pytest.fixture(scope="module")
def product() -> list[Module]:
    return modules(ROOT)


@pytest.fixture(scope="module")
def explained(product: list[Module]) -> list[Module]:
    return [module for module in product if module.package in PACKAGES]


@pytest.fixture(scope="module")
def glossary() -> list[tuple[Noun, str]]:
    return list(entries((ROOT / "docs/glossary.md").read_text()))


def test_entries_are_read_with_the_folder_of_their_heading() -> None:
    text = "# Glossary\n\n## api: the interface\n\n- `Tag` is a tag.\n\n### api/json\n\n- `Key` is one."
    assert list(entries(text)) == [(("api", "Tag"), "is a tag."), (("api/json", "Key"), "is one.")]


def test_every_public_class_is_in_the_glossary_under_its_folder(
    glossary: list[tuple[Noun, str]], explained: list[Module]
) -> None:
    assert sorted(set(classes(explained)) - {noun for noun, _ in glossary}) == []


def test_the_glossary_names_nothing_that_the_tree_does_not_have(
    glossary: list[tuple[Noun, str]], explained: list[Module]
) -> None:
    there = {*classes(explained), *aliases(explained)}
    assert [noun for noun, _ in glossary if noun not in there] == []


def test_nothing_stands_in_the_glossary_twice(glossary: list[tuple[Noun, str]]) -> None:
    nouns = [noun for noun, _ in glossary]
    assert sorted({noun for noun in nouns if nouns.count(noun) > 1}) == []
    names = [name for _, name in nouns if name not in SHARED_NAMES]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_every_entry_is_one_short_sentence(glossary: list[tuple[Noun, str]]) -> None:
    lengths = {name: len(f"{name} {sentence}") for (_, name), sentence in glossary}
    assert [name for name, length in lengths.items() if length > MAX_CHARACTERS] == []
    assert [name for (_, name), sentence in glossary if not sentence.endswith(".")] == []


def test_no_class_shares_its_name_with_another_but_for_a_reason(product: list[Module]) -> None:
    assert set(repeated_classes(product)) == set(SHARED_NAMES)
    assert len(SHARED_NAMES) <= MAX_SHARED_NAMES
