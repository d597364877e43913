"""The command as a person types it, with an archive of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
ASKS = """
import json, os, sys, urllib.request
body = json.dumps({"model": "m-1", "stream": True}).encode()
url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
asked = urllib.request.Request(url, body, {"Content-Type": "application/json"})
sys.stdout.buffer.write(urllib.request.urlopen(asked).read())
sys.exit(7)
"""


def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environ = {n: v for n, v in os.environ.items() if n != "INSPECTOR_SECRET_KEY"}
    return subprocess.run(
        [sys.executable, "manage.py", "run", *arguments],
        cwd=ROOT,
        env={**environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [("no-such-program", 127, "is no program here"), ("/etc", 126, "cannot be executed")],
)
def test_a_command_that_cannot_start_is_told_before_anything_begins(
    command: str, code: int, words: str, tmp_path: Path
) -> None:
    done = run("--", command, INSPECTOR_DATA_DIR=str(tmp_path / "data"))
    assert (done.returncode, done.stderr) == (code, f"manage.py run: {command} {words}\n")
    assert not (tmp_path / "data").exists()


def test_a_run_without_a_command_says_how_to_name_one() -> None:
    done = run("--live")
    assert done.returncode == 2 and "such as: run -- claude" in done.stderr


@pytest.mark.thorough
def test_a_run_captures_what_its_command_calls_and_keeps_nothing(
    upstream: str, stream: bytes, tmp_path: Path
) -> None:
    done = run(
        "--ephemeral", "--live", "--", sys.executable, "-c", ASKS,
        OPENAI_BASE_URL=f"{upstream}/v1", TMPDIR=str(tmp_path),
    )  # fmt: skip
    assert (done.returncode, done.stdout.encode()) == (7, stream), done.stderr
    assert "Calls are captured: http://127.0.0.1:" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("1 call captured"), done.stderr
    assert list(tmp_path.iterdir()) == []
