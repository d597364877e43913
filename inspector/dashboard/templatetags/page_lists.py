"""The pages of a team under the names that header, menu, rail of the settings and palette have."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django import template
from django.urls import reverse

from inspector.teams.access import EXPORT, OWN, TeamAccess

register = template.Library()


@dataclass(frozen=True, slots=True)
class Page:
    name: str
    title: str
    also: str = ""
    """Other words that the palette finds it by."""
    scope: str = ""
    """What a member must be allowed to see it."""
    of_team: bool = True
    below: Sequence[str] = ()
    """Beginnings of further addresses that belong to it."""

    def url(self, team: str) -> str:
        return reverse(f"dashboard:{self.name}", args=[team] if self.of_team else [])


MAIN = (
    Page(
        "archive", "Archive", "captures",
        below=("/t/{team}/exports/", "/t/{team}/views/", "/t/{team}/shares/new/", "/captures/"),
    ),
    Page("sessions", "Sessions", "traces conversations"),
    Page("usage", "Usage", "cost tokens models"),
    Page("feedback", "Feedback", "votes comments"),
    Page("paste", "Paste", "a response HAR", of_team=False, below=("/t/{team}/paste/",)),
    Page("connect", "Connect", "a service proxy client SDK"),
    Page("docs", "Help", "documentation", of_team=False),
)  # fmt: skip
SETTINGS = (
    Page("team", "Members and keys", "team people roles invitations API"),
    Page("prices", "Prices", "cost"),
    Page("upstreams", "Upstreams", "proxy providers"),
    Page("shares", "Links", "shares", EXPORT),
    Page("retention", "Retention", "delete forget"),
    Page("redaction", "Redaction", "mask"),
    Page("audit", "Audit log", "", OWN),
    Page("status", "Status", "quarantine"),
)
OTHERS = (
    Page("views", "Saved views"),
    Page("bulk", "Bulk changes"),
    Page("exports", "Exports", "", EXPORT),
    Page("receipts", "Deleted captures", "receipts"),
    Page("account", "Your account", "password theme name", of_team=False),
)
"""Reached from other pages, and by the palette."""
OF_NOBODY = ("docs", "account")
"""Those that somebody without a team has."""


@dataclass(frozen=True, slots=True)
class PageLink:
    title: str
    url: str
    also: str
    mark: str
    """Of ``aria-current``: ``page`` where it is shown, ``true`` where one below it is."""


@register.simple_tag(takes_context=True)
def main_pages(context: Any) -> tuple[PageLink, ...]:
    return tuple(_links(context, MAIN))


@register.simple_tag(takes_context=True)
def settings_pages(context: Any) -> tuple[PageLink, ...]:
    return tuple(_links(context, SETTINGS))


@register.simple_tag(takes_context=True)
def all_pages(context: Any) -> tuple[PageLink, ...]:
    return tuple(_links(context, (*MAIN, *SETTINGS, *OTHERS)))


def _links(context: Any, pages: Sequence[Page]) -> Iterator[PageLink]:
    """Those that the reader may see; without a team its pages are left out."""
    team = next((it for it in context.get("teams", ()) if it.slug == context.get("team")), None)
    slug, path = team.slug if team else "", context["request"].path
    here = _page_of(path, slug)
    for page in pages:
        if not _is_seen(page, team):
            continue
        url, query = page.url(slug), f"?team={slug}" if page.name == "paste" else ""
        # What a form of the settings was sent to answers with the page that it stands on.
        mark = "page" if page in SETTINGS or path == url else "true"
        yield PageLink(page.title, url + query, page.also, mark if page is here else "")


def _is_seen(page: Page, team: TeamAccess | None) -> bool:
    if team is None:
        return page.name in OF_NOBODY
    return not page.scope or page.scope in team.scopes


def _page_of(path: str, team: str) -> Page | None:
    """Return the page whose address, or one below it, is the longest beginning of the path."""
    known = [page for page in (*MAIN, *SETTINGS) if team or page.name in OF_NOBODY]
    starts = [(start, page) for page in known for start in (page.url(team), *page.below)]
    found = [(start.format(team=team), page) for start, page in starts]
    above = [each for each in found if path.startswith(each[0])]
    return max(above, key=lambda each: len(each[0]))[1] if above else None
