"""A release: its version everywhere, its changes under it, packages that are built twice alike."""

import json
import shutil
import subprocess
from datetime import date
from pathlib import Path

import pytest

from development import release
from development.bill_of_materials import LockedPackage, bill_of_materials, locked_packages
from development.release import ReleaseRefusal, cut_changelog, require_later
from development.runs import ROOT
from inspector.version import VERSION

TODAY = date(2026, 11, 30)
A, B, C = "a" * 64, "b" * 64, "c" * 64
LOCK = f"""\
one==1.0 \\
    --hash=sha256:{A}
    # via response-inspector
two-parts==2.0.post1 ; sys_platform != 'win32' \\
    --hash=sha256:{B} \\
    --hash=sha256:{C}
"""


def test_the_changes_stand_under_the_version_and_new_ones_above() -> None:
    text = "# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.1.0 (2026-01-01)\n\n- Old.\n"
    assert cut_changelog(text, "0.2.0", TODAY) == (
        "# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-11-30)\n\n- New.\n\n"
        "## 0.1.0 (2026-01-01)\n\n- Old.\n"
    )


@pytest.mark.parametrize(
    "text", ["# Changelog\n", "## Unreleased\n\n", "## Unreleased\n\n## 0.1.0\n\n- Old.\n"]
)
def test_without_a_change_there_is_no_release(text: str) -> None:
    with pytest.raises(ReleaseRefusal):
        cut_changelog(text, "0.2.0", TODAY)


@pytest.mark.parametrize(
    "version", ["0.1.0", "0.0.9", "one", "1.0", "1.0.0+here", "v1.0.0", "1!1.0.0"]
)
def test_what_is_no_later_version_is_refused(version: str) -> None:
    with pytest.raises(ReleaseRefusal):
        require_later(version, "0.1.0")
    require_later("0.1.1rc1", "0.1.0")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The files of this checkout in which a version stands."""
    for name in (release.CHANGELOG, *(name for name, _ in release.VERSION_PLACES)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_the_version_stands_everywhere_or_nowhere(copy: Path) -> None:
    before = {path: path.read_text() for path in copy.rglob("*.*") if path.is_file()}
    assert release.current_version(copy) == VERSION
    with pytest.raises(ReleaseRefusal):
        release.prepare(copy, VERSION, TODAY)
    assert {path: path.read_text() for path in before} == before

    release.prepare(copy, "99.0.0", TODAY)
    for path, text in before.items():
        assert path.read_text().count("99.0.0") == 1
        assert path.name == release.CHANGELOG or len(path.read_text()) - len(text) == 1


def test_every_package_names_its_licence(tmp_path: Path) -> None:
    release.require_licensed(ROOT)
    for name, words in release.LICENSED:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(words)
    release.require_licensed(tmp_path)


@pytest.mark.parametrize("name", [name for name, _ in release.LICENSED])
def test_without_a_licence_or_a_way_to_report_there_is_no_release(
    name: str, tmp_path: Path
) -> None:
    for each, words in release.LICENSED:
        (tmp_path / each).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / each).write_text("" if each == name else words)
    with pytest.raises(ReleaseRefusal, match=name):
        release.require_licensed(tmp_path)


def test_a_lock_is_read_with_its_markers_and_hashes() -> None:
    assert list(locked_packages(LOCK)) == [
        LockedPackage("one", "1.0", "", (A,)),
        LockedPackage("two-parts", "2.0.post1", "sys_platform != 'win32'", (B, C)),
    ]
    pins = [line for line in (ROOT / "requirements.lock").read_text().splitlines() if "==" in line]
    real = list(locked_packages((ROOT / "requirements.lock").read_text()))
    assert len(real) == len([line for line in pins if line[0].isalnum()])
    assert all(package.sha256s for package in real)


def test_the_bill_names_every_package_and_is_equal_for_equal_locks() -> None:
    bill = bill_of_materials(LOCK, "1.0.0", TODAY)
    assert bill == bill_of_materials(LOCK, "1.0.0", TODAY)
    found = json.loads(bill)
    assert (found["bomFormat"], found["specVersion"]) == ("CycloneDX", "1.6")
    assert found["metadata"]["component"]["version"] == "1.0.0"
    assert [part["purl"] for part in found["components"]] == [
        "pkg:pypi/one@1.0",
        "pkg:pypi/two-parts@2.0.post1",
    ]
    assert found["components"][0]["hashes"] == [{"alg": "SHA-256", "content": A}]
    assert {each["value"] for each in found["components"][1]["properties"]} == {
        "sys_platform != 'win32'",
        B,
        C,
    }


@pytest.mark.thorough
def test_everything_that_is_released_is_there_with_its_hash(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    release.publishable(ROOT, folder, VERSION, TODAY)
    assert {path.name for path in folder.iterdir()} == {
        f"response_inspector-{VERSION}-py3-none-any.whl",
        f"response_inspector_inspect-{VERSION}-py3-none-any.whl",
        f"response_inspector_client-{VERSION}-py3-none-any.whl",
        f"response-inspector-client-{VERSION}.tgz",
        f"response-inspector-devtools-{VERSION}.zip",
        release.BILL,
        release.HASHES,
    }
    subprocess.run(["sha256sum", "--check", "--quiet", release.HASHES], cwd=folder, check=True)
    with pytest.raises(ReleaseRefusal):
        release.publishable(ROOT, folder, VERSION, TODAY)


def test_changes_that_are_not_committed_are_named(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    release.require_clean(tmp_path)
    (tmp_path / "new.txt").write_text("")
    with pytest.raises(ReleaseRefusal, match="new.txt"):
        release.require_clean(tmp_path)
