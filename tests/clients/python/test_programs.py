"""Programs that end, fork and are built: what only a process of its own shows."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.clients.python.taking_server import TakingServer

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "clients" / "python"
SOURCES = sorted((PACKAGE / "response_inspector").glob("*.py"))
BEGINNING = """
import httpx, json, os, sys
from response_inspector import capture, connection, counts, delivery, flush
delivery.EXIT_SECONDS = connection.TIMEOUT_SECONDS = 600.0   # the machine may be slow
def answer(request):
    return httpx.Response(200, stream=httpx.ByteStream(b"{}"))
client = capture(httpx.Client(transport=httpx.MockTransport(answer)))
def call(text):
    client.post("https://api.example/v1/chat/completions", content=text)
"""


def run(program: str, server: TakingServer, *options: str) -> str:
    done = subprocess.run(
        [sys.executable, *options, "-c", BEGINNING + program],
        env={"PYTHONPATH": str(PACKAGE), "INSPECTOR_URL": server.url, "INSPECTOR_KEY": "ri_key"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def bodies(server: TakingServer) -> list[str]:
    return sorted(line["request"]["body"] for line in server.lines)


def test_a_program_that_ends_has_sent_its_calls(server: TakingServer) -> None:
    run("for n in range(5): call(str(n))", server)
    assert bodies(server) == ["0", "1", "2", "3", "4"]


def test_warnings_that_are_errors_break_nothing(server: TakingServer) -> None:
    run("call('a')", server, "-W", "error", "-X", "dev")
    assert bodies(server) == ["a"]


def test_a_fork_sends_its_own_calls_and_leaves_those_of_its_parent(server: TakingServer) -> None:
    program = """
call("parent")
assert flush(600)
call("parent again")
child = os.fork()
if child == 0:
    call("child")
    flush(600)
    os.write(1, json.dumps([counts().called, counts().sent]).encode() + b"\\n")
    os._exit(0)
os.waitpid(child, 0)
"""
    assert json.loads(run(program, server)) == [1, 1]
    assert bodies(server) == ["child", "parent", "parent again"]


def test_children_of_multiprocessing_have_sent_their_calls_when_they_end(
    server: TakingServer,
) -> None:
    program = """
import multiprocessing
processes = [multiprocessing.get_context("fork").Process(target=call, args=(n,)) for n in "abc"]
call("parent")
for each in processes: each.start()
for each in processes: each.join()
"""
    run(program, server)
    assert bodies(server) == ["a", "b", "c", "parent"]


def test_thousands_of_calls_by_ten_threads_are_all_accounted_for(server: TakingServer) -> None:
    program = """
import logging
from concurrent.futures import ThreadPoolExecutor
logging.disable()
with ThreadPoolExecutor(10) as threads:
    list(threads.map(lambda n: call(str(n)), range(3_000)))
flush(600)
found = counts()
print(found.called, found.sent + found.dropped, found.sent)
"""
    called, settled, sent = map(int, run(program, server).split())
    assert called == settled == 3_000
    assert len(server.lines) == sent


# -- the package -----------------------------------------------------------------------------------


def test_the_package_imports_the_standard_library_alone() -> None:
    imported = {
        name.partition(".")[0]
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text()))
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [each.name for each in node.names]
            if isinstance(node, ast.Import)
            else []
        )
    }
    assert imported - sys.stdlib_module_names == {"response_inspector"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_each_file_is_python_of_version_3_9(path: Path) -> None:
    ast.parse(path.read_text(), feature_version=(3, 9))


@pytest.mark.thorough
def test_wheel_and_sdist_are_built_equal_each_time_and_need_nothing(tmp_path: Path) -> None:
    built = []
    for name in ("one", "two"):
        command = [sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path / name)]
        subprocess.run(command, cwd=PACKAGE, check=True, capture_output=True)
        built.append({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()})
    assert built[0] == built[1] and len(built[0]) == 2
    (wheel,) = (tmp_path / "one").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert {name.split("/")[0] for name in archive.namelist()} == {
            "response_inspector",
            "response_inspector_client-0.1.0.dist-info",
        }
        (metadata,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        assert "Requires-Dist" not in archive.read(metadata).decode()
