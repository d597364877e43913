"""A started proxy with a real viewer on the database of the test."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from django.db import connection

from inspector.proxy.viewer_messages import AnswerRefusal
from tests.proxy.played_recorder import PlayedRecorder
from tests.proxy.started_proxy import Reply, StartedProxy

PROGRAM = """
import runpy
import sys
import inspector.settings
inspector.settings.DATABASES["default"]["NAME"] = sys.argv.pop(1)
runpy.run_module("inspector.proxy.viewer", run_name="__main__", alter_sys=True)
"""


class ViewingProxy(StartedProxy):
    def __init__(self, recorder: PlayedRecorder, data_dir: Path, *flags: str) -> None:
        database = str(connection.settings_dict["NAME"])
        command = shlex.join([sys.executable, "-c", PROGRAM, database])
        super().__init__(
            recorder,
            *("--viewer-command", command),
            *flags,
            DJANGO_SETTINGS_MODULE="inspector.settings",
            INSPECTOR_DATA_DIR=str(data_dir),
            INSPECTOR_METRICS_KEY="operator",
        )

    def until_it_answers(self) -> None:
        """Until then there is nobody to plan an answer."""
        while self.replay("/replay/none/", "ri_nobody").error == AnswerRefusal.UNAVAILABLE:
            pass

    def viewer_pid(self) -> int:
        """That of the viewer which runs now."""
        ours = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        pids = [int(pid) for pid in ours.split()]
        [found] = [pid for pid in pids if b"proxy.viewer" in _command_of(pid)]
        return found

    def replay(
        self, path: str, key: str, body: bytes = b"{}", method: str = "POST", **headers: str
    ) -> Reply:
        sent = {"Authorization": f"Bearer {key}"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        return self.ask(method, path, body, sent)


def _command_of(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()
