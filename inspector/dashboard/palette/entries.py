"""Entries of the palette that need the database: captures, saved views, filters."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from inspector.archive.listing.capture_fields import CAPTURE_FIELDS
from inspector.archive.listing.capture_values import CaptureRow
from inspector.archive.queries import Captures
from inspector.archive.saved_views import ViewEntry
from inspector.dashboard.archive.filter_bar import FilterBar, words_of
from inspector.formatting.humanize import moment
from inspector.query.parsed_query import FilterTerm

MIN_CHARACTERS = 2
"""A single letter is in most names: filters are looked for from the second on."""
MAX_VIEWS, MAX_FILTERS, MAX_TAGS = 8, 5, 5
FILTERS = ("verdict", "result", "finding", "dialect", "state")
"""Whose values are known without a query."""


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    words: str
    href: str
    aside: str = ""
    is_code: bool = False


@dataclass(frozen=True, slots=True)
class PaletteGroup:
    """``slug`` decides where the script puts it."""

    slug: str
    title: str
    entries: tuple[PaletteEntry, ...]


def palette_groups(
    team: str, text: str, captures: Captures, views: Iterable[ViewEntry], filter_bar: FilterBar
) -> tuple[PaletteGroup, ...]:
    """Group of entries that fit a text; without one all saved views. Empty groups are left out."""
    is_long = len(text) >= MIN_CHARACTERS
    named = captures.named(text) if is_long else ()
    filters = [*_filters(team, text, filter_bar), *_tags(team, text, captures, filter_bar)]
    groups = (
        PaletteGroup("captures", "Captures", tuple(map(_capture, named))),
        PaletteGroup("views", "Saved views", tuple(_views(team, text, views))[:MAX_VIEWS]),
        PaletteGroup("filters", "Filter this search", tuple(filters) if is_long else ()),
    )
    return tuple(group for group in groups if group.entries)


def _capture(row: CaptureRow) -> PaletteEntry:
    words = f"{row.model or 'no model'}, {row.verdict or row.state}"
    return PaletteEntry(words, reverse("dashboard:capture", args=[row.id]), moment(row.received_at))


def _views(team: str, text: str, views: Iterable[ViewEntry]) -> Iterator[PaletteEntry]:
    for view in views:
        if text.casefold() in view.name.casefold():
            aside = "view, the team’s" if view.is_team else "view, mine"
            yield PaletteEntry(view.name, _list(team, view.address), aside)


def _filters(team: str, text: str, filter_bar: FilterBar) -> Iterator[PaletteEntry]:
    known = {name: CAPTURE_FIELDS.allowed_values(name) or () for name in FILTERS}
    terms = [FilterTerm(name, str(value)) for name in FILTERS for value in known[name]]
    for term in [each for each in terms if text.casefold() in each.value][:MAX_FILTERS]:
        words = words_of(term.name, term.value)
        yield _filter(team, term, filter_bar, "" if words == term.value else words)


def _tags(
    team: str, text: str, captures: Captures, filter_bar: FilterBar
) -> Iterator[PaletteEntry]:
    if len(text) >= MIN_CHARACTERS:
        for tag in captures.tags_like(text, MAX_TAGS):
            yield _filter(team, FilterTerm("tag", tag), filter_bar, "")


def _filter(team: str, term: FilterTerm, filter_bar: FilterBar, aside: str) -> PaletteEntry:
    is_there = term in filter_bar.conditions.all
    query = filter_bar.toggle_query(term)
    aside = "take it off" if is_there else aside
    return PaletteEntry(f"{term.name}:{term.value}", _list(team, query), aside, is_code=True)


def text_search(team: str, text: str) -> PaletteEntry:
    return PaletteEntry(f"Find “{text}”", _list(team, urlencode({"q": text})), "whole archive")


def _list(team: str, query: str) -> str:
    return reverse("dashboard:archive", args=[team]) + (f"?{query}" if query else "")
