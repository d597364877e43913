"""The panel "Capture a program's calls": lines to paste, with a key in them that was just made."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from inspector.dashboard.connect.client_code import (
    PLACEHOLDER,
    ClientCode,
    client_codes,
    proxy_url,
    shell_line,
)
from inspector.teams import team_upstreams
from inspector.teams.access import MANAGE, Principal
from inspector.teams.team_upstreams import TeamUpstream

# Shown first: those whose variables clients read by themselves.
SHOWN_FIRST = ("openai", "anthropic", "gemini")


@dataclass(frozen=True, slots=True)
class UpstreamLine:
    """An upstream with the line that has a program use it."""

    upstream: TeamUpstream
    line: str
    url: str
    is_chosen: bool = False


@dataclass(frozen=True, slots=True)
class ConnectPanel:
    proxy_origin: str
    """Empty where no proxy was started."""
    has_key: bool
    """The lines have the key in them, which is shown only now."""
    may_make_key: bool
    lines: tuple[UpstreamLine, ...]
    chosen: TeamUpstream | None
    """None where every upstream is turned off."""
    codes: tuple[ClientCode, ...]
    """How client libraries are given the address of the chosen upstream."""

    @property
    def first_lines(self) -> tuple[UpstreamLine, ...]:
        return tuple(each for each in self.lines if each.upstream.name in SHOWN_FIRST)

    @property
    def chosen_url(self) -> str:
        """The base URL that a client is given."""
        return next((each.url for each in self.lines if each.is_chosen), "")

    @property
    def chosen_line(self) -> str:
        return next((each.line for each in self.lines if each.is_chosen), "")


def connect_panel(
    principal: Principal, team: str, chosen: str = "", key: str = PLACEHOLDER
) -> ConnectPanel:
    within = principal.within(team)
    upstreams = team_upstreams.for_principal(within).all() if within else ()
    enabled = tuple(upstream for upstream in upstreams if not upstream.is_disabled)
    found = _choose(enabled, chosen)
    return ConnectPanel(
        proxy_origin=settings.PROXY_ORIGIN,
        has_key=key != PLACEHOLDER,
        may_make_key=within is not None and within.may(MANAGE),
        lines=tuple(_line(each, key, each is found) for each in enabled),
        chosen=found,
        codes=client_codes(found.style, _client_url(found, key)) if found else (),
    )


def _choose(upstreams: Sequence[TeamUpstream], name: str) -> TeamUpstream | None:
    by_name = {upstream.name: upstream for upstream in upstreams}
    wanted = (by_name[each] for each in (name, *SHOWN_FIRST) if each in by_name)
    return next(wanted, upstreams[0] if upstreams else None)


def _line(upstream: TeamUpstream, key: str, is_chosen: bool) -> UpstreamLine:
    url = _client_url(upstream, key)
    return UpstreamLine(upstream, shell_line(upstream.style, url), url, is_chosen)


def _client_url(upstream: TeamUpstream, key: str) -> str:
    url = proxy_url(settings.PROXY_ORIGIN, key, upstream.name)
    return f"{url}{upstream.client_path}"
