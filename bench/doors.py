"""Every address that draws or answers from one capture, asked in this process on a data folder of
its own.

Settings are read on import, so ``prepare`` has to come before anything of Django.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
JSON = "application/json"
ASKED_OF_PANELS = {
    "choices": ("choices=markdown", "choices=diff", "choices_from=200"),
    "tool_calls": ("tool_calls=tree", "tool_calls=whole"),
    "raw": ("raw=all", "raw=hex", "raw=tree", "raw=request"),
    "timeline": ("timeline=table",),
    "logprobs": ("logprobs=table",),
}
"""How a panel may be shown, beside as it is at first."""
PARTS = (
    "timeline.json",
    "timeline/",
    "lines/?from=0&to=100",
    "trace/?lane=0&start=0&end=1000",
    "find/?q=word",
    "find/?q=/k1",
    "tree/",
    "around/?byte=1000",
    "raw/",
)
API = ("", "raw/", "completion/", "timeline/", "findings/")

Door = Callable[[], int]
"""Asks once; the bytes of the answer."""


def prepare() -> None:
    """Django, with an empty archive in a temporary folder and no limits of rate."""
    folder = tempfile.mkdtemp(prefix="inspector-growth-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ |= {
        "INSPECTOR_DATA_DIR": folder,
        "INSPECTOR_BOOTSTRAP": "0",
        "INSPECTOR_SECRET_KEY": "signs what the benchmark asks for, and nothing else",
        "DJANGO_SETTINGS_MODULE": "tests.settings",
    }
    sys.path.insert(0, str(ROOT))
    import django
    from django.core.management import call_command
    from django.test.utils import setup_test_environment

    django.setup()
    setup_test_environment()
    call_command("migrate", verbosity=0)


class Archive:
    """One team with its owner, who asks."""

    def __init__(self) -> None:
        from inspector.teams.models import Role
        from tests.people import make_person

        self.owner = make_person("olga", "default", Role.OWNER)
        self.browser = self.owner.browser()

    def capture(self, body: bytes, tags: int = 0, headers: int = 0) -> str:
        """The id of a capture that is inspected, and lies in memory as the last that was read."""
        from inspector.archive import intake, queries
        from inspector.archive.intake import Accepted, Arrival
        from inspector.archive.tasks import drain
        from inspector.core.exchange import Exchange, Request

        exchange = Exchange.of_body(body)
        sent = tuple((f"x-header-{n}", "value") for n in range(headers))
        import msgspec

        request = Request(method="POST", url="http://127.0.0.1/v1", headers=sent, body=b"{}")
        exchange = msgspec.structs.replace(exchange, headers=sent, request=request)
        arrival = Arrival(exchange, tags=tuple(f"tag-{n}" for n in range(tags)))
        accepted = intake.accept(self.owner.principal, arrival)
        assert isinstance(accepted, Accepted)
        drain()
        queries.for_principal(self.owner.principal).readout(accepted.id)
        return str(accepted.id)

    def doors(self, id: str, body: bytes) -> Iterator[tuple[str, Door]]:
        """Everything that is drawn or answered from this capture."""
        from inspector.dashboard.panels import found

        yield "page", self._page(f"/captures/{id}/")
        for panel in found():
            for asked in ("", *ASKED_OF_PANELS.get(panel.slug, ())):
                address = f"/captures/{id}/panels/{panel.slug}/?{asked}"
                yield f"panel {panel.slug} {asked}".rstrip(), self._page(address, part=True)
        for each in PARTS:
            yield each.partition("?")[0], self._page(f"/captures/{id}/{each}")
        other = self.capture(body + b" ")
        yield "compare", self._page(f"/captures/compare/?of={id}&of={other}")
        yield "compare choices", self._page(f"/captures/compare/?of={id}.0&of={id}.1")
        yield "archive", self._page("/t/default/captures/")
        yield "paste", self._paste(body)
        for each in API:
            yield f"api {each}".rstrip(), self._api("GET", f"/api/v1/captures/{id}/{each}")
        yield "api list", self._api("GET", "/api/v1/captures/")
        yield "api inspect", self._api("POST", "/api/v1/inspect/", body)
        yield "api wait", self._api("POST", "/api/v1/captures/?wait=10", body)

    def _page(self, address: str, *, part: bool = False) -> Door:
        headers = {"HX-Request": "true"} if part else {}
        return lambda: _length(self.browser.get(address, headers=headers))

    def _paste(self, body: bytes) -> Door:
        text = body.decode(errors="replace")
        return lambda: _length(self.browser.post("/paste/", {"content": text, "text": text}))

    def _api(self, method: str, address: str, body: bytes = b"") -> Door:
        return lambda: len(self.owner.ask(method, address, body).body)


def _length(response: Any) -> int:
    assert response.status_code < 500, response
    return sum(map(len, response))
