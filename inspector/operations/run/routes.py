"""Addresses of the proxy for those that a command would call, with the key of its run."""

import re
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from django.conf import settings

from inspector.operations.up.address import LOOPBACK
from inspector.teams import team_upstreams
from inspector.teams.team_upstreams import TeamUpstreams

CONNECT_SECONDS = 0.5
"""On this machine: whoever listens accepts in milliseconds."""
NAME_CHARACTERS = 40
"""The width of the column; the end of an address tells more than its beginning."""


@dataclass
class Routes:
    proxy_origin: str
    key: str
    upstreams: TeamUpstreams
    say: Callable[[str], None]
    _refused: set[str] = field(default_factory=set)

    def through(self, address: str, is_chosen: bool) -> str | None:
        """Return the proxy's address for a base URL; None where it may not be called. An upstream
        that is missing is added for an address that somebody chose, or where a server of this
        machine listens.
        """
        address = address.rstrip("/")
        if address.startswith(f"{self.proxy_origin}/proxy/"):
            return self._with_own_key(address)
        found = self._known(address)
        if found is None and (is_chosen or _is_served_here(address)):
            found = self._added(address)
        return found

    def _known(self, address: str) -> str | None:
        fitting = [
            each
            for each in self.upstreams.all()
            if f"{address}/".startswith(f"{each.base_url}/") and not each.is_disabled
        ]
        if not fitting:
            return None
        longest = max(fitting, key=lambda each: len(each.base_url))
        return self._url(longest.name, address[len(longest.base_url) :])

    def _added(self, address: str) -> str | None:
        if address in self._refused:
            return None
        parts = urlsplit(address)
        base = f"{parts.scheme}://{parts.netloc}"
        is_local = settings.IS_EMBEDDED and team_upstreams.needs_owner(base)
        refusal = self.upstreams.add(_name_of(parts.netloc), base, is_local)
        if refusal is None:
            return self._known(address)
        self._refused.add(address)
        self.say(f"Calls to {base} are not captured: {refusal.sentence}")
        return None

    def _with_own_key(self, address: str) -> str:
        """Return the address for a command within a run."""
        rest = address.removeprefix(f"{self.proxy_origin}/proxy/")
        _, _, behind_key = rest.partition("/")
        return self._url(behind_key, "")

    def _url(self, upstream: str, rest: str) -> str:
        return f"{self.proxy_origin}/proxy/{self.key}/{upstream}{rest}"


def _name_of(authority: str) -> str:
    """Such as ``127-0-0-1-11434`` for ``127.0.0.1:11434``."""
    return re.sub(r"[^a-z0-9]+", "-", authority.lower())[-NAME_CHARACTERS:].strip("-")


def _is_served_here(address: str) -> bool:
    parts = urlsplit(address)
    if parts.hostname not in LOOPBACK or parts.port is None:
        return False
    with suppress(OSError), socket.create_connection((parts.hostname, parts.port), CONNECT_SECONDS):
        return True
    return False
