"""A fixture of an input file: the answer in it as a file for tests."""

from __future__ import annotations

from pathlib import Path

from inspector.operations.reports.input_files import load_input_file
from inspector.transfer.files.source import STANDARD_INPUT
from inspector.transfer.fixtures.registry import KINDS, build_fixture
from inspector.transfer.fixtures.source import FixtureSource


class FixtureError(Exception):
    """Raised where there is no fixture; the message is a sentence for people."""


def file_fixture(paths: list[str], dialect: str | None, kind: str) -> str:
    """The text of the fixture. Raises ``FixtureError`` and ``InputFileError``."""
    if kind not in KINDS:
        raise FixtureError(f"no fixture has the kind {kind!r}; there are {', '.join(KINDS)}")
    if len(paths) != 1:
        raise FixtureError("a fixture is made of one input")
    exchange = load_input_file(paths[0], dialect).exchange
    name = "answer" if paths[0] == STANDARD_INPUT else Path(paths[0]).name.partition(".")[0]
    return build_fixture(FixtureSource(name, exchange), kind).content.decode()
