"""The client packages that an installation hands out are those that their own builds make."""

import base64
import csv
import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from inspector.dashboard.connect.client_packages import (
    CLIENTS,
    devtools_extension,
    node_package,
    python_package,
)
from inspector.version import VERSION
from tests.people import Person, ask


def contents(wheel: bytes) -> dict[str, bytes]:
    archive = zipfile.ZipFile(io.BytesIO(wheel))
    return {name: archive.read(name) for name in archive.namelist()}


def test_the_wheel_records_every_file_by_its_hash_and_length() -> None:
    files = contents(python_package().content)
    record = record_of(files)
    rows = {
        name: (digest, size)
        for name, digest, size in csv.reader(io.StringIO(files[record].decode()))
    }
    assert rows.keys() == files.keys()
    assert rows.pop(record) == ("", "")
    for name, (digest, size) in rows.items():
        made = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).decode()
        assert (digest, size) == (f"sha256={made.rstrip('=')}", str(len(files[name])))


@pytest.mark.parametrize("package", [python_package, node_package, devtools_extension])
def test_what_is_packed_twice_is_equal(package) -> None:  # type: ignore[no-untyped-def]
    assert package.__wrapped__() == package.__wrapped__()


def test_the_wheel_holds_what_the_packages_own_build_makes(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=CLIENTS / "python", check=True, capture_output=True)
    [built] = tmp_path.glob("*.whl")
    ours, theirs = contents(python_package().content), contents(built.read_bytes())
    assert built.name == python_package().file_name
    for each in (ours, theirs):
        # These say who made them, and which release of the format that took.
        del each[record_of(each)], each[record_of(each, "WHEEL")]
        metadata = record_of(each, "METADATA")
        each[metadata] = each[metadata].partition(b"\n")[2]
    assert ours == theirs


def record_of(files: dict[str, bytes], name: str = "RECORD") -> str:
    [found] = [each for each in files if each.endswith(f".dist-info/{name}")]
    return found


def test_the_tarball_holds_what_npm_would_pack() -> None:
    project = json.loads((CLIENTS / "node" / "package.json").read_text())
    with tarfile.open(fileobj=io.BytesIO(node_package().content)) as archive:
        names = {name.removeprefix("package/") for name in archive.getnames()}
    sources = {f"src/{path.name}" for path in (CLIENTS / "node" / "src").glob("*.js")}
    assert names == {"package.json", *project["files"][1:], *sources}


def test_the_panel_asks_for_no_host_at_once_and_runs_no_code_but_its_own() -> None:
    files = contents(devtools_extension().content)
    manifest = json.loads(files["manifest.json"])
    assert manifest["version_name"] == VERSION
    assert "host_permissions" not in manifest and "content_scripts" not in manifest
    assert manifest["permissions"] == ["activeTab", "scripting", "storage"]
    policy = manifest["content_security_policy"]["extension_pages"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert not re.search(
        rb"innerHTML|insertAdjacentHTML|\beval\(|new Function",
        b"".join(content for name, content in files.items() if name not in ("watched_tab.js",)),
    )


def test_anybody_gets_them_and_nothing_else(db: None) -> None:
    for package in (python_package(), node_package(), devtools_extension()):
        found = ask("GET", f"/clients/{package.file_name}", b"", "", {})
        assert (found.status, found.body) == (200, package.content)
    for name in ("pyproject.toml", "response_inspector_client-9.9.9-py3-none-any.whl"):
        assert ask("GET", f"/clients/{name}", b"", "", {}).status == 404


@pytest.mark.thorough
def test_pip_installs_the_wheel_from_the_installation_without_an_index(
    owner: Person,
    live_server,  # type: ignore[no-untyped-def]
    tmp_path: Path,
) -> None:
    venv.create(tmp_path, symlinks=True, with_pip=False)
    python = tmp_path / "bin" / "python"
    address = f"{live_server.url}/clients/{python_package().file_name}"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index"]
    subprocess.run([*pip, address], check=True)
    used = "import response_inspector as r; print(r.__version__, r.counts().called)"
    ran = subprocess.run([python, "-c", used], check=True, capture_output=True, text=True)
    assert ran.stdout.split() == [VERSION, "0"]


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not there")
def test_npm_installs_the_tarball_from_the_installation(
    owner: Person,
    live_server,  # type: ignore[no-untyped-def]
    tmp_path: Path,
) -> None:
    (tmp_path / "package.json").write_text('{"type": "module"}')
    address = f"{live_server.url}/clients/{node_package().file_name}"
    npm = ["npm", "install", "--no-audit", "--no-fund", "--cache", str(tmp_path / "cache"), address]
    subprocess.run(npm, cwd=tmp_path, check=True, capture_output=True)
    (tmp_path / "used.js").write_text(
        'import { counts } from "response-inspector-client";\nconsole.log(counts().called);\n'
    )
    ran = subprocess.run(["node", "used.js"], cwd=tmp_path, check=True, capture_output=True)
    assert ran.stdout == b"0\n"
