import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from inspector.operations import data_dir
from inspector.operations.operator_error import OperatorError
from tests.operations.backup import places


@pytest.fixture
def folder(tmp_path: Path, settings: Any) -> Path:
    settings.DATA_DIR = tmp_path / "data"
    data_dir.prepare()
    return Path(settings.DATA_DIR)


def test_what_is_kept_is_private(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("INSPECTOR_SECRET_KEY", raising=False)
    data_dir.ensure_secret_key()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "secret_key").stat().st_mode & 0o777 == 0o600
    assert len((folder / "secret_key").read_text()) >= 50


@pytest.mark.parametrize("archive", [None, "inspector.sqlite3", "secret_key"])
def test_a_directory_that_was_open_is_closed(
    tmp_path: Path, settings: Any, archive: str | None
) -> None:
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    settings.DATA_DIR.chmod(0o755)
    if archive is not None:
        (settings.DATA_DIR / archive).touch()
        (settings.DATA_DIR / archive).chmod(0o644)
    assert data_dir.prepare() is True
    assert settings.DATA_DIR.stat().st_mode & 0o777 == 0o700
    if archive == "inspector.sqlite3":
        assert (settings.DATA_DIR / archive).stat().st_mode & 0o777 == 0o600
    assert data_dir.prepare() is False


def test_a_directory_that_may_be_for_others_is_refused_in_one_line(
    tmp_path: Path, settings: Any
) -> None:
    settings.DATA_DIR = tmp_path
    tmp_path.chmod(0o1777)
    (tmp_path / "of somebody").touch()
    with pytest.raises(OperatorError) as refused:
        data_dir.prepare()
    assert "open to others (mode 1777)" in str(refused.value)
    assert "\n" not in str(refused.value)
    assert tmp_path.stat().st_mode & 0o7777 == 0o1777


@pytest.mark.thorough
@pytest.mark.embedded
def test_what_a_command_writes_is_its_owners_alone(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    before = os.umask(0o022)
    try:
        places.sqlite(tmp_path).done("migrate", "--no-input", "--verbosity", "0")
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert set(modes.values()) == {0o600}, modes


def test_the_secret_key_is_written_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("INSPECTOR_SECRET_KEY", raising=False)
    data_dir.ensure_secret_key()
    first = (folder / "secret_key").read_text()
    data_dir.ensure_secret_key()
    assert (folder / "secret_key").read_text() == first


def test_key_in_environment_needs_no_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECTOR_SECRET_KEY", "from the environment")
    data_dir.ensure_secret_key()
    assert not (folder / "secret_key").exists()


def test_only_one_holds_a_directory(folder: Path) -> None:
    lock = data_dir.lock_data_dir("http://127.0.0.1:8001")
    with pytest.raises(OperatorError, match=rf"http://127\.0\.0\.1:8001 \(process {os.getpid()}\)"):
        data_dir.lock_data_dir("http://127.0.0.1:8002")
    os.close(lock)
    os.close(data_dir.lock_data_dir("http://127.0.0.1:8002"))


@pytest.mark.thorough
def test_the_programs_of_a_killed_start_are_waited_for(folder: Path) -> None:
    lock = data_dir.lock_data_dir("http://127.0.0.1:8001")
    guard = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1)"], pass_fds=[lock])
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    os.pwrite(lock, f"{gone.pid} http://127.0.0.1:8001".encode(), 0)
    os.close(lock)
    os.close(data_dir.lock_data_dir("http://127.0.0.1:8002"))
    assert guard.wait(60) == 0
