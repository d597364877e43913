"""The proxy with its real recorder and its real viewer, on the database of the test."""

from __future__ import annotations

import http.client
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar
from uuid import UUID

from django.db import connection

from inspector.archive.models import Capture, State
from inspector.teams.access import CAPTURE
from inspector.teams.keys import create_api_key
from inspector.teams.models import Upstream
from tests.people import Person
from tests.proxy.started_proxy import StartedProxy
from tests.proxy.viewer.viewing import Told, events, token_of

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
LAST = b"0\r\n\r\n"
BOUND_SECONDS = 60.0
Kind = TypeVar("Kind")
PROGRAM = """
import os
import runpy
import sys
database, module = sys.argv.pop(1), sys.argv.pop(1)
os.environ["INSPECTOR_ROLE"] = module.rpartition(".")[2]
import inspector.settings
inspector.settings.DATABASES["default"]["NAME"] = database
runpy.run_module(module, run_name="__main__", alter_sys=True)
"""


class _NoRecorder:
    """What is played is nothing: the flags say what runs."""

    command = ""


class LiveHost(StartedProxy):
    """One host, with a data directory of its own."""

    def __init__(self, data_dir: Path, **environment: str) -> None:
        super().__init__(
            _NoRecorder(),  # type: ignore[arg-type]
            *("--recorder-command", _child("inspector.proxy.recorder")),
            *("--viewer-command", _child("inspector.proxy.viewer")),
            DJANGO_SETTINGS_MODULE="inspector.settings",
            INSPECTOR_DATA_DIR=str(data_dir),
            INSPECTOR_METRICS_KEY="k",
            **environment,
        )

    @contextmanager
    def call(self, path: str, **headers: str) -> Iterator[http.client.HTTPResponse]:
        with self.connect() as caller:
            caller.request("POST", path, b'{"stream":true}', headers)
            yield caller.getresponse()

    @contextmanager
    def watch(self, person: Person, capture_id: UUID) -> Iterator[Watching]:
        """Asks until a viewer is there, as pages do."""
        with self.connect() as browser:
            yield Watching(wait_for(lambda: self._watched(browser, token_of(person, capture_id))))

    def _watched(
        self, browser: http.client.HTTPConnection, token: str
    ) -> http.client.HTTPResponse | None:
        browser.request("GET", f"/live/{token}")
        response = browser.getresponse()
        if response.status == 200:
            return response
        assert response.headers["X-Inspector-Error"] == "live_view_unavailable"
        response.read()
        return None


class Watching:
    """A browser that takes what it is sent."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.response = response
        self._came = b""

    def until(self, is_so: Callable[[list[Told]], bool]) -> list[Told]:
        while not is_so(told := list(events(self._came))):
            data = self.response.read1(1 << 16)
            assert data, told
            self._came += data
        return told


def _child(module: str) -> str:
    name = str(connection.settings_dict["NAME"])
    return shlex.join([sys.executable, "-c", PROGRAM, name, module])


def path_of(person: Person, url: str) -> str:
    """Where this person's calls to an upstream at this address go."""
    Upstream.objects.create(
        team=person.team, name="scripted", base_url=url, is_local=True, made_by=""
    )
    key = create_api_key(person.team, "app", [CAPTURE])
    return f"/proxy/{key}/scripted/v1/chat/completions"


def recording_id(person: Person) -> UUID:
    """Of the call that goes on, once it is known."""
    running = Capture.objects.filter(team=person.team, state=State.RECORDING)
    return wait_for(lambda: running.values_list("id", flat=True).first())


def wait_for(ask: Callable[[], Kind | None]) -> Kind:
    until = time.monotonic() + BOUND_SECONDS
    while not (found := ask()):
        assert time.monotonic() < until
        time.sleep(0.02)
    return found


def chunked(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)
