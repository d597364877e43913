"""The only access to a team's upstreams for pages and commands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from inspector.database.portability import advisory_lock
from inspector.teams.access import MANAGE, READ, Principal
from inspector.teams.audit import Act, note
from inspector.teams.models import Upstream
from inspector.teams.names import actor_name
from inspector.teams.upstream_presets import (
    PRESETS,
    TEMPLATES,
    ClientStyle,
    UpstreamPreset,
    base_url_of_resource,
    template_of,
)
from inspector.teams.upstreams import UPSTREAM_NAME, base_url_of
from inspector.web.public_address import BaseUrl, BaseUrlRefusal, read_base_url
from inspector.web.site_origin import BadOrigin, origin_of

# Of one team, beside the presets; and of one upstream.
MAX_UPSTREAMS = 100
MAX_SITES = 20
"""The proxy compares them with the origin of every call from a page."""
MAX_PERCENT = 100
UPSTREAMS_LOCK = 7
"""Tells this use of PostgreSQL's advisory locks from others."""


@dataclass(frozen=True, slots=True)
class TeamUpstream:
    name: str
    title: str
    base_url: str
    is_preset: bool
    is_local: bool
    sites: tuple[str, ...]
    sample_percent: int
    keeps_other: bool
    """Calls that ask for no completion are captured, too."""
    is_disabled: bool
    client_path: str
    """Path that follows the upstream in a client's base URL."""
    style: ClientStyle
    made_by: str | None
    """Who added it, or changed the preset; None for a preset as it is."""
    created_at: datetime | None


@dataclass(frozen=True, slots=True)
class UpstreamRefusal:
    """Why an upstream cannot be so. ``field`` names what to change."""

    field: str
    sentence: str


@dataclass(frozen=True, slots=True)
class UpstreamTerms:
    """The settings that an administrator makes, as typed."""

    base_url: str
    """Ignored for a preset."""
    sites: str
    """Origins with blanks between them."""
    sample_percent: int
    keeps_other: bool = False


def for_principal(principal: Principal) -> TeamUpstreams:
    return TeamUpstreams(principal, tuple(principal.team_ids(READ)))


@dataclass(frozen=True, slots=True)
class TeamUpstreams:
    """The upstreams of the one team that a principal is restricted to."""

    principal: Principal
    team_ids: tuple[int, ...]

    def all(self) -> tuple[TeamUpstream, ...]:
        """Return the team's own, then the presets."""
        rows = Upstream.objects.filter(team__in=self.team_ids).order_by("name")
        changed = {row.name: row for row in rows}
        own = tuple(_own(row) for row in rows if row.base_url)
        names = {upstream.name for upstream in own}
        presets = (_preset(each, changed.get(each.name)) for each in PRESETS.values())
        return own + tuple(preset for preset in presets if preset.name not in names)

    def add(self, name: str, address: str, is_local: bool = False) -> UpstreamRefusal | None:
        """Add an upstream. ``is_local``: by a command, which may name the machine itself."""
        if not UPSTREAM_NAME.fullmatch(name):
            return UpstreamRefusal("name", "A name is 1 to 40 small letters, digits and hyphens.")
        if name in PRESETS:
            return UpstreamRefusal("name", f"{PRESETS[name].title} has this name.")
        found = read_base_url(address, settings.PROXY_NETWORKS, is_local)
        if isinstance(found, BaseUrlRefusal):
            return UpstreamRefusal("address", found.sentence)
        with transaction.atomic():
            return self._insert(name, found, is_local)

    def add_resource(self, template: str, resource: str) -> UpstreamRefusal | None:
        """Add the upstream of what the customer has at a provider, by a template."""
        address = base_url_of_resource(TEMPLATES[template], resource)
        name = f"{template}-{resource}"
        if address is None or not UPSTREAM_NAME.fullmatch(name):
            what = TEMPLATES[template].resource
            return UpstreamRefusal("resource", f"This is no name of a {what}.")
        refusal = self.add(name, address)
        return refusal and UpstreamRefusal("resource", refusal.sentence)

    def change(self, name: str, terms: UpstreamTerms) -> UpstreamRefusal | None:
        """Raise ``LookupError`` where the team has no such upstream."""
        with transaction.atomic():
            row = self._locked_row(name)
            refusal = _apply(row, terms)
            if refusal is None:
                row.save()
                self._note(Act.UPSTREAM_CHANGED, row)
        return refusal

    def turn(self, name: str, is_on: bool) -> None:
        """Raise ``LookupError`` where the team has no such upstream."""
        with transaction.atomic():
            row = self._locked_row(name)
            if row.is_disabled is is_on:
                row.is_disabled = not is_on
                row.save()
                self._note(Act.UPSTREAM_TURNED_ON if is_on else Act.UPSTREAM_TURNED_OFF, row)

    def remove(self, name: str) -> None:
        """Raise ``LookupError`` where the team has no such upstream of its own."""
        with transaction.atomic():
            row = self._locked_row(name)
            if not row.base_url:
                raise LookupError(name)
            self._note(Act.UPSTREAM_REMOVED, row)
            row.delete()

    def _insert(self, name: str, base_url: BaseUrl, is_local: bool) -> UpstreamRefusal | None:
        theirs = self._locked_rows()
        if theirs.filter(name=name).exists():
            return UpstreamRefusal("name", "There is an upstream of this name; remove it first.")
        if theirs.exclude(base_url="").count() >= MAX_UPSTREAMS:
            return UpstreamRefusal("name", f"A team has at most {MAX_UPSTREAMS} upstreams.")
        row = self._new_row(name)
        row.base_url, row.is_local = str(base_url), is_local
        row.save()
        self._note(Act.UPSTREAM_ADDED, row)
        return None

    def _locked_row(self, name: str) -> Upstream:
        """Return the team's row, or a new one about a preset."""
        row = self._locked_rows().filter(name=name).first()
        if row is None and name in PRESETS:
            return self._new_row(name)
        if row is None or not base_url_of(row):
            raise LookupError(name)
        return row

    def _locked_rows(self) -> QuerySet[Upstream]:
        """Return the team's rows, which nobody else changes until the transaction ends."""
        advisory_lock(UPSTREAMS_LOCK, self._managed())
        return Upstream.objects.filter(team=self._managed())

    def _new_row(self, name: str) -> Upstream:
        made_by = actor_name(self.principal)
        return Upstream(team_id=self._managed(), name=name, made_by=made_by)

    def _note(self, act: Act, row: Upstream) -> None:
        note(self.principal, row.team_id, act, f"{row.name}: {base_url_of(row)}")

    def _managed(self) -> int:
        (team_id,) = self.principal.team_ids(MANAGE)
        return team_id


def needs_owner(address: str) -> bool:
    """Return True where only the owner of the machine could allow the address, or nobody."""
    return isinstance(read_base_url(address, settings.PROXY_NETWORKS), BaseUrlRefusal)


def _apply(row: Upstream, terms: UpstreamTerms) -> UpstreamRefusal | None:
    if not 0 <= terms.sample_percent <= MAX_PERCENT:
        return UpstreamRefusal("sample_percent", f"A share is 0 to {MAX_PERCENT} per cent.")
    if row.base_url and terms.base_url != row.base_url:
        found = read_base_url(terms.base_url, settings.PROXY_NETWORKS)
        if isinstance(found, BaseUrlRefusal):
            return UpstreamRefusal("address", found.sentence)
        # What the owner of the machine allowed was that address, no other one.
        row.base_url, row.is_local = str(found), False
    sites = _origins(terms.sites.split())
    if isinstance(sites, UpstreamRefusal):
        return sites
    row.sites, row.sample_percent = sites, terms.sample_percent
    row.keeps_other = terms.keeps_other
    return None


def _origins(texts: Sequence[str]) -> list[str] | UpstreamRefusal:
    if len(texts) > MAX_SITES:
        return UpstreamRefusal("sites", f"An upstream has at most {MAX_SITES} sites.")
    try:
        return list(dict.fromkeys(origin_of(text) for text in texts))
    except BadOrigin as error:
        return UpstreamRefusal("sites", str(error))


def _own(row: Upstream) -> TeamUpstream:
    template = template_of(row.base_url)
    path = urlsplit(row.base_url).path
    return TeamUpstream(
        name=row.name,
        title=row.name,
        base_url=row.base_url,
        is_preset=False,
        # Servers of models speak as OpenAI does, below /v1; who states a path has stated that.
        client_path=template.client_path if template else "" if path else "/v1",
        style=template.style if template else ClientStyle.OPENAI,
        **_terms(row),
    )


def _preset(preset: UpstreamPreset, row: Upstream | None) -> TeamUpstream:
    return TeamUpstream(
        name=preset.name,
        title=preset.title,
        base_url=preset.base_url,
        is_preset=True,
        client_path=preset.client_path,
        style=preset.style,
        **_terms(row or Upstream(name=preset.name)),
    )


def _terms(row: Upstream) -> dict[str, Any]:
    return {
        "is_local": row.is_local,
        "sites": tuple(row.sites),
        "sample_percent": row.sample_percent,
        "keeps_other": row.keeps_other,
        "is_disabled": row.is_disabled,
        "made_by": row.made_by or None,
        "created_at": row.created_at,
    }
