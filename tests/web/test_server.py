"""The first process of web, which those that serve are forked from."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOADED = """
import sys, threading
from inspector.web import server
server.load()
from django.db import connections
opened = [each for each in connections.all(initialized_only=True) if each.connection]
print(threading.active_count(), len(opened))
print(*sorted({"inspector.urls", "inspector.wsgi", "inspector.web.rsgi"} & set(sys.modules)))
"""


def test_it_has_every_address_and_neither_a_thread_nor_a_connection(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED],
        cwd=ROOT,
        env={
            "PATH": os.environ["PATH"],
            "DJANGO_SETTINGS_MODULE": "inspector.settings",
            "INSPECTOR_DATA_DIR": str(tmp_path),
            "INSPECTOR_METRICS_KEY": "k",
            "INSPECTOR_ROLE": "web",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "1 0\ninspector.urls\n"
