"""The wheel that only inspects: small, by itself, and made of the product's own sources."""

import json
import tomllib
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from inspector.core.wire.exchange import Exchange
from inspector.transfer.fixtures.registry import KINDS, build_fixture
from inspector.transfer.fixtures.source import FixtureSource
from inspector.version import VERSION
from tests.operations.test_wheel import ROOT, WHOLE, built, installed, ran

SLIM = ROOT / "slim"
PRIVATE = "_response_inspector_inspect"
PROJECT = tomllib.loads((SLIM / "pyproject.toml").read_text())["project"]
MOST_BYTES = 15_000_000
"""Bytes of all packages, without the bytecode that Python makes of them."""
pytestmark = [pytest.mark.thorough, pytest.mark.embedded, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("wheel"), SLIM)


def needed(requirements: list[str]) -> set[str]:
    """The names of the distributions that these need, by way of others, too."""
    found = set[str]()
    waiting = [Requirement(each) for each in requirements]
    while waiting:
        one = waiting.pop()
        is_meant = one.marker is None or one.marker.evaluate({"extra": ""})
        if is_meant and one.name not in found:
            found.add(one.name)
            waiting += [Requirement(each) for each in distribution(one.name).requires or ()]
    return found


@pytest.fixture(scope="module")
def program(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The script of an environment with the wheel, what it needs, and no other package."""
    folder = tmp_path_factory.mktemp("environment")
    packages = installed(wheel, folder)
    for name in needed(PROJECT["dependencies"]):
        for file in distribution(name).files or ():
            top = file.parts[0]
            if top != ".." and top != "__pycache__" and not (packages / top).exists():
                (packages / top).symlink_to(distribution(name).locate_file(top))
    return folder / "bin" / "inspect-responses"


def test_it_is_built_twice_with_equal_bytes(wheel: Path, tmp_path: Path) -> None:
    assert built(tmp_path, SLIM).read_bytes() == wheel.read_bytes()


def test_everything_lies_below_one_private_root_and_is_the_products_own(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    names = archive.namelist()
    assert {name.split("/")[0] for name in names} == {
        PRIVATE,
        f"response_inspector_inspect-{VERSION}.dist-info",
    }
    inside = f"{PRIVATE}/inspector/"
    for name in names:
        if name.startswith(inside):
            assert archive.read(name) == (ROOT / name.removeprefix(f"{PRIVATE}/")).read_bytes()


def test_its_packages_are_few_bytes(wheel: Path) -> None:
    files = [
        Path(str(file.locate()))
        for name in needed(PROJECT["dependencies"])
        for file in distribution(name).files or ()
    ]
    theirs = sum(file.stat().st_size for file in files if file.exists() and file.suffix != ".pyc")
    ours = sum(entry.file_size for entry in zipfile.ZipFile(wheel).infolist())
    assert theirs + ours < MOST_BYTES


def test_it_inspects_files_and_fails_on_what_it_is_told_to(program: Path, tmp_path: Path) -> None:
    (tmp_path / "whole.json").write_bytes(WHOLE)
    (tmp_path / "cut.json").write_bytes(WHOLE[:-30])
    envelope = {"response": {"status": 200, "body": WHOLE.decode()}}
    (tmp_path / "envelope.json").write_text(json.dumps(envelope))
    for name in ("whole.json", "envelope.json"):
        found = ran(program, tmp_path, name, "--json", "--fail-on", "error")
        assert (found.returncode, found.stderr) == (0, b"")
        assert json.loads(found.stdout)["analysis"]["verdict"] == "complete"
    for form in ("text", "github", "sarif"):
        assert ran(program, tmp_path, ".", "--format", form, "--fail-on", "error").returncode == 1


@pytest.mark.parametrize("kind", KINDS)
def test_its_fixtures_are_those_of_whole_program(program: Path, tmp_path: Path, kind: str) -> None:
    (tmp_path / "whole.json").write_bytes(WHOLE)
    made = ran(program, tmp_path, "whole.json", "--fixture", kind)
    assert (made.returncode, made.stderr) == (0, b"")
    source = FixtureSource("whole", Exchange.of_body(WHOLE, "application/json"))
    assert made.stdout == build_fixture(source, kind).content


def test_what_it_lacks_is_told(program: Path, tmp_path: Path) -> None:
    (tmp_path / "calls.yaml").write_text("interactions:\n- request: {}\n  response: {}\n")
    cassette = ran(program, tmp_path, "calls.yaml")
    assert (cassette.returncode, b"PyYAML" in cassette.stderr) == (2, True)
