"""The script that runs the Dockerfile's steps without an engine."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.rehearse_image import Instruction, context, instructions, with_variables

ROOT = Path(__file__).parent.parent.parent
DOCKERFILE = """\
# comment
FROM python:3.11-slim AS packages
RUN one \\
    # inside
    && two
ENV PATH=/opt/bin:$PATH \\
    A=1
CMD ["python", "x"]
"""


def may_lay_layers() -> bool:
    return os.geteuid() == 0 and shutil.which("unshare") is not None


def test_instructions_are_read_over_their_lines_and_without_comments() -> None:
    assert list(instructions(DOCKERFILE)) == [
        Instruction("FROM", "python:3.11-slim AS packages"),
        Instruction("RUN", "one && two"),
        Instruction("ENV", "PATH=/opt/bin:$PATH A=1"),
        Instruction("CMD", '["python", "x"]'),
    ]


def test_a_variable_sees_those_before_it() -> None:
    assert with_variables("PATH=/opt/bin:$PATH A=1", {"PATH": "/bin"}) == {
        "PATH": "/opt/bin:/bin",
        "A": "1",
    }


def test_the_dockerfile_has_no_instruction_that_the_script_does_not_know() -> None:
    steps = list(instructions((ROOT / "Dockerfile").read_text()))
    known = {"FROM", "ENV", "COPY", "RUN", "WORKDIR", "USER", "CMD", "EXPOSE"}
    assert {step.name for step in steps} <= known
    assert json.loads(steps[-1].words)[:3] == ["python", "manage.py", "web"]
    assert "requirements.lock" in context((ROOT / ".dockerignore").read_text())


@pytest.mark.thorough
@pytest.mark.timeout(1800)
@pytest.mark.skipif(not may_lay_layers(), reason="only root may lay a layer over a root")
def test_the_image_is_built_by_its_steps_and_answers_as_its_own_user() -> None:
    script = ROOT / "deploy" / "rehearse_image.py"
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "no pip" in ran.stdout
    assert "answers" in ran.stdout.splitlines()[-1]
