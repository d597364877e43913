"""Every address that draws or answers from a capture, asked in this process on a data folder of
its own; which ones stands in ``asked``.

Settings are read on import, so ``prepare`` has to come before anything of Django.
"""

import hashlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from asked import ASKED, BODY, LINE, PANEL, PANELS, PASTED, Ask, part, unsaid
from uploads import Upload

ROOT = Path(__file__).resolve().parent.parent
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
BOUNDARY = "a-boundary-of-growth"
TYPES = {
    PASTED: f"multipart/form-data; boundary={BOUNDARY}",
    LINE: "application/x-ndjson",
}
ASKED_WRONGLY = frozenset({400, 401, 403, 405, 409, 415, 429})
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")

Door = Callable[[], int]
"""Asks once; the bytes of the answer, ``NOTHING`` where there is none for such a capture."""
NOTHING = -1


def prepare() -> None:
    """Django, with an empty archive in a temporary folder and no limits of rate."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    sys.path.insert(0, str(ROOT))
    import django
    from django.core.management import call_command
    from django.test.utils import setup_test_environment

    django.setup()
    setup_test_environment()
    call_command("migrate", verbosity=0)
    if missing := unsaid():
        sys.exit(f"bench/asked.py does not say once what becomes of: {', '.join(missing)}")


def processor_seconds() -> float:
    """Return the seconds of this process and of its readers, whether they live or have ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime + sum(map(_taken_by, _readers()))


def _readers() -> list[int]:
    from inspector.archive.readers.child import web_reader

    return web_reader().pids()


def _taken_by(pid: int) -> float:
    """Where the system tells: it does on Linux."""
    with suppress(OSError):
        told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(told[11]) + int(told[12])) / CLOCK_TICKS
    return 0.0


@dataclass(frozen=True, slots=True)
class Held:
    """A capture that is inspected, and one that is almost the same."""

    body: bytes
    id: str
    other: str

    def filled(self, text: str) -> str:
        for name, value in {"ONE": self.id, "OTHER": self.other, "FIRST": _first()}.items():
            text = text.replace(name, value)
        return text

    def sent(self, ask: Ask) -> tuple[bytes, str]:
        """Return the body and its content type."""
        made = {BODY: self._whole, PASTED: self._pasted, LINE: self._line}.get(ask.body)
        if made is not None:
            return made(), TYPES.get(ask.body, JSON)
        text = self.filled(ask.body)
        return text.encode(), JSON if text.startswith("{") else FORM

    def _whole(self) -> bytes:
        return self.body

    def _pasted(self) -> bytes:
        from django.core.files.uploadedfile import SimpleUploadedFile
        from django.test.client import encode_multipart

        sha256 = hashlib.sha256(self.body).hexdigest()
        return encode_multipart(
            BOUNDARY, {"file": SimpleUploadedFile("answer.txt", self.body), "sha256": sha256}
        )

    def _line(self) -> bytes:
        return json.dumps({"response": {"body": self.body.decode()}}).encode() + b"\n"


class Archive:
    """One team with its owner, who asks."""

    def __init__(self, team: str = "default") -> None:
        from inspector.teams.access import DELETE, FEEDBACK, INGEST, READ, TELEMETRY
        from inspector.teams.keys import create_api_key
        from inspector.teams.models import Role
        from tests.people import make_person

        self.owner = make_person(f"olga of {team}", team, Role.OWNER)
        self.key = create_api_key(
            self.owner.team, "asks", [INGEST, READ, DELETE, FEEDBACK, TELEMETRY]
        )
        self.browser = self.owner.browser()

    def held(self, body: bytes, tags: int = 0, headers: int = 0) -> Held:
        """Both lie in memory as the last that were read."""
        ids = [self.accepted(each, tags, headers) for each in (body, body + b" ")]
        return self.inspected(body, ids)

    def inspected(self, body: bytes, ids: list[str]) -> Held:
        from inspector.archive import queries
        from inspector.archive.inspection.tasks import drain

        drain()
        for capture_id in ids[-2:]:
            queries.for_principal(self.owner.principal).readout(capture_id)
        return Held(body, ids[-2], ids[-1])

    def accepted(self, body: bytes, tags: int = 0, headers: int = 0) -> str:
        import msgspec

        from inspector.archive.intake import submission
        from inspector.archive.intake.submission import Accepted, Submission
        from inspector.core.wire.exchange import Exchange, Request

        sent = tuple((f"x-header-{n}", "value") for n in range(headers))
        request = Request(method="POST", url="http://127.0.0.1/v1", headers=sent, body=b"{}")
        exchange = msgspec.structs.replace(Exchange.of_body(body), headers=sent, request=request)
        arrival = Submission(exchange, tags=tuple(f"tag-{n}" for n in range(tags)))
        found = submission.accept(self.owner.principal, arrival)
        assert isinstance(found, Accepted)
        return str(found.id)

    def doors(self, held: Held) -> Mapping[str, Door]:
        """Everything that is drawn, answered or done with this capture."""
        return dict(self._doors(held))

    def _doors(self, held: Held) -> Iterator[tuple[str, Door]]:
        from inspector.teams.route_check import routes
        from inspector.urls import urlpatterns

        for route in routes(urlpatterns):
            for key in (key for key in ASKED if key.partition(" ")[2] == route.name):
                for more in _arguments(route.arguments):
                    values = {
                        "capture_id": held.id,
                        "team": self.owner.team.slug,
                        "choice": 0,
                        **more,
                    }
                    names = {name: values[name] for name in route.arguments}
                    yield from self._asked(key, names, held, more)

    def _asked(
        self, key: str, names: Mapping[str, Any], held: Held, more: Mapping[str, str]
    ) -> Iterator[tuple[str, Door]]:
        from django.urls import reverse

        method, _, route = key.partition(" ")
        path = reverse(route, kwargs=names)
        shown = PANELS.get(more.get("slug", ""), ()) if key == PANEL else ()
        for ask in (*ASKED[key], *map(part, shown)):
            name = " ".join(filter(None, [key, *more.values(), ask.name]))
            yield name, self._door(name, method, f"{path}?{held.filled(ask.query)}", held, ask)

    def _door(self, name: str, method: str, address: str, held: Held, ask: Ask) -> Door:
        headers = {"HX-Request": "true"} if ask.is_part else {}
        if " api:" in name:
            headers["Authorization"] = f"Bearer {self.key}"
        body, content_type = held.sent(ask)

        def door() -> int:
            response = self._answer(method, address, body, content_type, headers)
            assert response.status_code < 500, (name, response.status_code, response.content[:500])
            assert response.status_code not in ASKED_WRONGLY, (name, response.content[:500])
            return NOTHING if response.status_code == 404 else sum(map(len, response))

        return door

    def upload(self, sent: Upload) -> Door:
        def door() -> int:
            headers = {"Authorization": f"Bearer {self.key}"}
            response = self._answer("POST", sent.path, sent.body, sent.content_type, headers)
            assert response.status_code in (200, 202), (sent.path, response.content[:500])
            return sum(map(len, response))

        return door

    def cut(self, sent: Upload) -> Door:
        """Parks it and cuts it into captures."""

        def door() -> int:
            from django.db import transaction

            from inspector.teams.access import for_key
            from inspector.transfer.uploads import parked, steps
            from inspector.transfer.uploads.kinds import KINDS
            from inspector.work.run import run_one

            principal = for_key(self.key)
            assert principal is not None
            with transaction.atomic():
                parked.for_principal(principal, KINDS[sent.kind].scope).park(sent.kind, sent.body)
                while run_one(steps.KIND):
                    pass
                transaction.set_rollback(True)
            return NOTHING

        return door

    def _answer(
        self, method: str, address: str, body: bytes, content_type: str, headers: dict[str, str]
    ) -> Any:
        """As if nobody had asked before: whatever changed is as it was afterwards."""
        from django.db import transaction

        with transaction.atomic():
            response = self.browser.generic(method, address, body, content_type, headers=headers)
            transaction.set_rollback(True)
        return response


def _first() -> str:
    from inspector.archive.listing.cursor import Cursor

    return str(Cursor(datetime(2000, 1, 1, tzinfo=UTC), UUID(int=0)))


def _arguments(names: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """Yield arguments of an address that names no row: each panel, text of a choice, fixture."""
    from inspector.dashboard.capture.panels import all_panels
    from inspector.dashboard.capture.part_views import TEXTS
    from inspector.transfer.fixtures.registry import KINDS

    if "slug" in names:
        yield from ({"slug": panel.slug} for panel in all_panels())
    elif "kind" in names:
        yield from ({"kind": kind} for kind in KINDS)
    elif "part" in names:
        yield from ({"part": part} for part in TEXTS)
    else:
        yield {}
