"""Command lines, environments and patience of what ``up`` starts."""

import os
import subprocess
import sys
from ipaddress import ip_network
from pathlib import Path

import pytest
from django.conf import LazySettings

from inspector.operations.up import programs
from inspector.operations.up.address import ListenAddress, UpAddresses
from inspector.operations.up.supervisor import PATIENCE_SECONDS, Program
from inspector.proxy.child_process import EXIT_SECONDS

COUNTS = "import sys; print(sum(name.startswith(('inspector', 'api')) for name in sys.modules))"
WEB, PROXY = ListenAddress("127.0.0.1", 8000), ListenAddress("127.0.0.1", 8001)


def started(addresses: UpAddresses) -> dict[str, Program]:
    return {program.name: program for program in programs.embedded(addresses)}


@pytest.mark.parametrize(
    ("role", "module", "most"),
    [
        ("worker", "inspector.operations.working", 280),
        ("sweep", "inspector.operations.sweeping", 480),
        ("recorder", "inspector.proxy.recorder.process", 320),
        ("proxy", "inspector.proxy.__main__", 45),
        ("command", "inspector.operations.up.command", 30),
    ],
)
def test_a_program_begins_with_no_more_modules_than_it_needs(
    role: str, module: str, most: int
) -> None:
    begins = "" if role in ("proxy", "command") else "import django; django.setup()"
    done = subprocess.run(
        [sys.executable, "-c", f"{begins}\nimport {module}\n{COUNTS}"],
        cwd=Path(__file__).parents[3],
        env={
            "PATH": os.environ["PATH"],
            "DJANGO_SETTINGS_MODULE": "inspector.settings",
            "INSPECTOR_ROLE": role,
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) <= most


def test_who_stays_beside_the_programs_imports_nothing_that_makes_the_archive() -> None:
    program = """
import sys
from inspector import command_line
sys.argv = ["manage.py", "up", "--port", "0"]
try:
    command_line.run(sys.argv)
except SystemExit as refused:
    assert "is not a port" in refused.code
heavy = ("django.apps.registry", "django.db", "django.core.management", "rest_framework", "celery")
print([name for name in heavy if name in sys.modules])
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=Path(__file__).parents[3], capture_output=True, check=True)
    assert done.stdout == b"[]\n"


def test_the_proxy_is_started_where_it_has_an_address() -> None:
    assert "proxy" in started(UpAddresses(WEB, WEB.url, PROXY, PROXY.url))
    assert "proxy" not in started(UpAddresses(WEB, WEB.url))


def test_limits_of_the_settings_stand_in_the_proxys_command_line(settings: LazySettings) -> None:
    settings.PROXY_NETWORKS = (ip_network("10.0.0.0/8"), ip_network("192.0.2.7/32"))
    settings.PROXY_IDLE_SECONDS = 7
    words = programs.proxy(PROXY)
    assert words[:3] == (sys.executable, "-m", "inspector.proxy")
    named = dict(zip(words[3::2], words[4::2], strict=True))
    assert (named["--host"], named["--port"]) == ("127.0.0.1", "8001")
    assert named["--networks"] == "10.0.0.0/8,192.0.2.7/32"
    assert named["--idle-seconds"] == "7"
    assert named["--capture-bytes"] == str(settings.MAX_BODY_BYTES)


def test_every_program_knows_where_the_proxy_is() -> None:
    found = started(UpAddresses(WEB, WEB.url, PROXY, PROXY.url))
    origins = {program.environment["INSPECTOR_PROXY_ORIGIN"] for program in found.values()}
    assert origins == {"http://127.0.0.1:8001"}


def test_the_metrics_key_reaches_the_proxy_in_its_environment_alone(settings: LazySettings) -> None:
    settings.METRICS_KEY = "a key of metrics"
    proxy = started(UpAddresses(WEB, WEB.url, PROXY, PROXY.url))["proxy"]
    assert proxy.environment["INSPECTOR_METRICS_KEY"] == "a key of metrics"
    assert proxy.environment["INSPECTOR_METRICS_KEY_FILE"] == ""
    assert "a key of metrics" not in proxy.command


def test_an_answer_that_streams_may_end_before_the_proxy_is_killed(settings: LazySettings) -> None:
    found = started(UpAddresses(WEB, WEB.url, PROXY, PROXY.url))
    assert found["proxy"].patience_seconds > settings.PROXY_DRAIN_SECONDS
    assert found["web"].patience_seconds == PATIENCE_SECONDS


def test_recorder_that_hangs_is_killed_by_the_proxy_before_proxy_is(settings: LazySettings) -> None:
    own = settings.PROXY_DRAIN_SECONDS + settings.PROXY_RECORDER_SECONDS
    assert programs.patience_seconds("proxy") > own + EXIT_SECONDS
