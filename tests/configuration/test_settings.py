import json
import logging
import os
import subprocess
import sys

import pytest

from inspector import settings
from tests.tiers import mostly_thorough


def test_an_unexpected_error_is_printed_and_a_mistake_of_a_client_is_not() -> None:
    assert logging.getLogger("django.request").isEnabledFor(logging.ERROR)
    assert not logging.getLogger("django.request").isEnabledFor(logging.WARNING)
    assert not logging.getLogger("django.security.DisallowedHost").isEnabledFor(logging.ERROR)
    assert settings.LOGGING["root"] == {"handlers": ["stderr"], "level": "WARNING"}


WARN = "import django, logging; django.setup(); logging.getLogger('inspector.x').{}('told')"


@pytest.mark.parametrize("program", mostly_thorough([("web",), ("worker",), ("sweep",)]))
def test_a_program_writes_json_lines_and_what_it_did(program: str) -> None:
    done = run(WARN.format("info"), INSPECTOR_ROLE=program)
    line = json.loads(done)
    assert (line["program"], line["level"], line["event"]) == (program, "info", "told")


def test_a_command_writes_for_whoever_typed_it() -> None:
    assert run(WARN.format("info")) == ""
    assert run(WARN.format("warning")).endswith("WARNING inspector.x: told\n")


def run(code: str, **variables: str) -> str:
    given = {**os.environ, "DJANGO_SETTINGS_MODULE": "inspector.settings", **variables}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=given, capture_output=True, text=True, check=True)
    return done.stderr
