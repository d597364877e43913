"""The real server is asked what the description allows and what it does not, and answers by it."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.api.serving import Server, keep_one

HERE = Path(__file__).parent
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
PATIENCE_SECONDS = 120
PROGRAM = "from schemathesis.cli import schemathesis; schemathesis()"


@pytest.mark.parametrize(
    ("phases", "examples", "seconds"),
    [
        pytest.param("fuzzing", 1, 5, id="once"),
        pytest.param("examples,coverage,fuzzing", 4, 30, id="all", marks=pytest.mark.thorough),
    ],
)
@pytest.mark.skipif(find_spec("schemathesis") is None, reason="needs Schemathesis")
def test_no_answer_is_a_fault_or_one_that_is_not_described(
    server: Server, tmp_path: Path, phases: str, examples: int, seconds: int
) -> None:
    # The program itself would wait ten seconds for the description: a busy machine takes longer.
    description = tmp_path / "openapi.json"
    with urlopen(f"{server.url}/api/schema/?format=json", timeout=PATIENCE_SECONDS) as answer:
        description.write_bytes(answer.read())
    options = {
        "--url": server.url,
        "--request-timeout": str(PATIENCE_SECONDS),
        "--header": f"Authorization: Bearer {server.key}",
        "--checks": ",".join(CHECKS),
        "--phases": phases,
        "--max-examples": str(examples),
        "--max-time": str(seconds),
        "--seed": "1",
        "--generation-database": "none",
    }
    words = [word for option in options.items() for word in option]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "run", description, *words, "--no-color"],
        env={
            **os.environ,
            "CAPTURE_ID": keep_one(server),
            "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]),
            "SCHEMATHESIS_HOOKS": "schema_hooks",
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-30_000:] + done.stderr[-2000:]
