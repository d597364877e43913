import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processor_time import going_on

BUSY = """
import subprocess, sys, time
if len(sys.argv) == 1:
    child = subprocess.Popen([sys.executable, __file__, "below"], stdout=subprocess.PIPE)
    child.stdout.readline()
else:
    # Linux tells whole hundredths, those of its own work apart.
    while time.process_time() < 0.6: pass
print("done", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux tells of processes")
def test_processes_that_go_on_are_counted_with_those_that_they_started(tmp_path: Path) -> None:
    (script := tmp_path / "busy.py").write_text(BUSY)
    before = going_on(os.getpid())
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, str(script)], **pipes) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdout.readline()
        assert going_on(os.getpid()) - before >= 0.5
        process.stdin.close()
