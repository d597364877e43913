"""The wheel: what ``pipx install`` puts on a machine, in an environment of its own."""

import json
import os
import signal
import site
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from inspector.version import VERSION
from tests.operations.installation import Installation
from tests.operations.test_up import post

ROOT = Path(__file__).parent.parent.parent
WHOLE = b'{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}'

pytestmark = [pytest.mark.thorough, pytest.mark.embedded, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("wheel"))


def built(folder: Path, project: Path = ROOT) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return path


def installed(wheel: Path, folder: Path) -> Path:
    """Make an environment with the wheel alone, and return the folder of its packages."""
    venv.create(folder, symlinks=True, with_pip=False)
    python = folder / "bin" / "python"
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    subprocess.run([*command, "--no-deps", "--no-index", str(wheel)], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    return packages


@pytest.fixture(scope="module")
def program(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The console script of an environment that has the wheel, and the packages of this one."""
    folder = tmp_path_factory.mktemp("environment")
    packages = installed(wheel, folder)
    (packages / "beside.pth").write_text("\n".join(site.getsitepackages()))
    return folder / "bin" / "inspector"


def ran(program: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [program, *arguments],
        cwd=home,
        env={"HOME": str(home), "PATH": os.defpath},
        capture_output=True,
        check=False,
    )


def test_a_wheel_that_is_built_twice_is_equal_byte_for_byte(wheel: Path, tmp_path: Path) -> None:
    assert built(tmp_path).read_bytes() == wheel.read_bytes()


def test_wheel_holds_program_with_its_templates_static_files_and_documentation(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {
        "api",
        "inspector",
        f"response_inspector-{VERSION}.dist-info",
    }
    for folder in ("docs", "templates", "static"):
        ours = {str(path.relative_to(ROOT)) for path in (ROOT / folder).rglob("*.*")}
        shipped = {name.removeprefix("inspector/shipped/") for name in names}
        assert ours <= shipped


def test_the_installed_program_says_its_own_version_and_lists_its_own_commands(
    program: Path, tmp_path: Path
) -> None:
    assert ran(program, tmp_path, "--version").stdout == f"Response Inspector {VERSION}\n".encode()
    overview = ran(program, tmp_path, "help").stdout.decode()
    assert overview.startswith("Usage: inspector COMMAND")
    assert "  backup  " in overview
    assert "Django" not in overview and "makemigrations" not in overview


def test_installed_program_refuses_commands_of_a_checkout(program: Path, tmp_path: Path) -> None:
    refused = ran(program, tmp_path, "check_all")
    assert refused.returncode == 1
    assert (
        refused.stderr == b"Run it in a checkout of the repository: python3 manage.py check_all\n"
    )


def test_the_installed_program_inspects_a_file_and_leaves_nothing_behind(
    program: Path, tmp_path: Path
) -> None:
    (tmp_path / "answer.json").write_bytes(WHOLE)
    inspected = ran(program, tmp_path, "inspect", "answer.json", "--format", "json")
    assert json.loads(inspected.stdout)["analysis"]["verdict"] == "complete"
    assert [path.name for path in tmp_path.iterdir()] == ["answer.json"]


def test_the_installed_program_keeps_its_data_in_the_persons_own_folder(
    program: Path, tmp_path: Path, installation: Installation
) -> None:
    # The fixture ends what was started, whatever fails here.
    data_dir = installation.data_dir = tmp_path / ".local/share/response-inspector"
    home = {"HOME": str(tmp_path), "PATH": os.defpath}
    told = installation.start((str(program),), home)
    assert post(told)["state"] == "received"
    assert f"  Data           {data_dir}\n" in told
    assert installation.signal(signal.SIGTERM) == 0
    assert (data_dir / "inspector.sqlite3").exists()
    assert "  Sign-in link   inspector sign_in_link\n" in installation.start((str(program),), home)
    assert installation.signal(signal.SIGTERM) == 0
