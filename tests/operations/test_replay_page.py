"""``docs/replay.md``: its fixture and the test beside it are taken out and run as they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from django.conf import settings

from tests.replay.answers import DONE, FIRST, LAST

PAGE = settings.BASE_DIR / "docs" / "replay.md"
FILE = re.compile(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```\n", re.DOTALL)
OF_SDKS = {"test_retries.py"}
"""These need packages that are no part of this project."""


def test_the_fixture_and_its_test_run_as_they_stand(tmp_path: Path) -> None:
    files = dict(FILE.findall(PAGE.read_text()))
    assert files.keys() >= {"conftest.py", "test_breaks.py"} | OF_SDKS
    for name in files.keys() - OF_SDKS:
        (tmp_path / name).write_text(files[name])
    (tmp_path / "chat.sse").write_bytes(FIRST + LAST + DONE)
    manage = f"{sys.executable} {settings.BASE_DIR / 'manage.py'} replay"
    environment = {**os.environ, "REPLAY": manage, "INSPECTOR_BOOTSTRAP": "0"}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:django"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout
    assert "1 passed" in ran.stdout
