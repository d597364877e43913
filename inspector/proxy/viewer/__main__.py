"""``python -m inspector.proxy.viewer --fd N``: started by the proxy, with one end of a socket."""

import os
import socket
from contextlib import suppress
from pathlib import Path

from inspector.proxy.run_child import run_child

NICENESS = 10
"""Calls are forwarded and recorded first."""


def run(connection: socket.socket) -> None:
    from django.conf import settings

    from inspector.proxy.viewer import process

    os.nice(NICENESS)
    with suppress(OSError):
        # Where memory is short, nothing is lost with this process.
        Path("/proc/self/oom_score_adj").write_text("1000")
    process.run(connection, settings.DATA_DIR / "proxy-spool", settings.REDIS_URL or None)


if __name__ == "__main__":
    run_child("viewer", run)
