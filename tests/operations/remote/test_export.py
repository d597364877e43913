"""``export``: a team's captures by address and key, whole however often they broke."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from inspector.operations.remote import client
from inspector.operations.remote.commands import run_remote
from tests.http_server import Handler, served

FILE = b'{"archived":{},"n":1}\n{"archived":{},"n":2}\n{"archived":{},"n":3}\n'
KEY = "ri_secret-key"


class ExportingInstallation:
    """Writes every export at once; its file breaks off after so many bytes, once for each break."""

    def __init__(self, *breaks: int) -> None:
        self.url = ""
        self.breaks = list(breaks)
        self.asked = list[tuple[str, str]]()
        self.ranges = list[str]()
        self.state = "finished"
        self.is_kept = True

    def status(self) -> dict[str, Any]:
        return {
            "id": 7,
            "state": self.state,
            "captures": 3,
            "skipped": 0,
            "byte_length": len(FILE),
            "error": "too_large" if self.state == "failed" else None,
        }


@contextmanager
def exporting(*breaks: int) -> Iterator[ExportingInstallation]:
    state = ExportingInstallation(*breaks)

    class Installation(Handler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.read_body()
            state.asked.append(("POST", self.path))
            self._send(202, json.dumps(state.status()).encode())

        def do_GET(self) -> None:
            state.asked.append(("GET", self.path))
            if not self.path.endswith("/file/"):
                found = state.status() if state.is_kept else {}
                self._send(200 if state.is_kept else 404, json.dumps(found).encode())
                return
            sent_range = self.headers.get("Range", "")
            state.ranges.append(sent_range)
            begin = int(sent_range.removeprefix("bytes=").rstrip("-") or 0)
            if begin >= len(FILE):
                self._send(416, b"{}")
                return
            rest = FILE[begin:]
            self._send(206 if begin else 200, rest, state.breaks.pop(0) if state.breaks else None)

        def _send(self, status: int, body: bytes, cut: int | None = None) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[:cut])
            self.close_connection = cut is not None

    with served(Installation) as state.url:
        yield state


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "pause", lambda seconds: None)
    monkeypatch.setenv("INSPECTOR_KEY", KEY)


def export(installation: ExportingInstallation, file: Path, *more: str) -> int:
    return run_remote(["inspector", "export", "--url", installation.url, "-o", str(file), *more])


def test_a_file_is_whole_where_its_download_broke_twice(tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    with exporting(5, 10) as installation:
        assert export(installation, file) == 0
    assert file.read_bytes() == FILE
    assert installation.ranges == ["", "bytes=5-", "bytes=15-"]
    assert [path.name for path in tmp_path.iterdir()] == ["all.jsonl"]


def test_another_run_goes_on_with_the_file_of_the_first_and_asks_for_no_new_export(
    tmp_path: Path,
) -> None:
    file = tmp_path / "all.jsonl"
    with exporting(5) as installation:
        assert export(installation, file, "--patience", "0") == 2
        assert not file.exists()
        assert export(installation, file) == 0
        assert [path for method, path in installation.asked if method == "POST"] == [
            "/api/v1/exports/"
        ]
    assert file.read_bytes() == FILE
    assert installation.ranges == ["", "bytes=5-"]


@pytest.mark.parametrize("change", ["query", "gone"])
def test_what_was_begun_for_something_else_or_is_gone_is_begun_anew(
    tmp_path: Path, change: str
) -> None:
    file = tmp_path / "all.jsonl"
    with exporting(5) as installation:
        assert export(installation, file, "--patience", "0") == 2
        if change == "gone":
            installation.is_kept = False
            assert export(installation, file, "--patience", "0") == 2
            installation.is_kept = True
        assert export(installation, file, *(["vendor:x"] if change == "query" else [])) == 0
        asked = [path for method, path in installation.asked if method == "POST"]
    last = "/api/v1/exports/?q=vendor%3Ax" if change == "query" else "/api/v1/exports/"
    assert asked[-1] == last
    assert len(asked) >= 2
    assert file.read_bytes() == FILE


def test_a_file_that_is_there_is_not_touched_and_nothing_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "all.jsonl"
    file.write_bytes(b"mine")
    with exporting() as installation:
        assert export(installation, file) == 2
        assert not installation.asked
    assert file.read_bytes() == b"mine"
    assert "is there already" in capsys.readouterr().err


def test_an_export_goes_into_a_pipe(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    with exporting(5) as installation:
        assert export(installation, Path("-")) == 0
    told = capfdbinary.readouterr()
    assert told.out == FILE
    assert told.err == f"3 captures, {len(FILE)} bytes\n".encode()


def test_an_export_that_the_server_gives_up_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with exporting() as installation:
        installation.state = "failed"
        assert export(installation, tmp_path / "all.jsonl") == 2
    assert "the export failed (too_large)" in capsys.readouterr().err
