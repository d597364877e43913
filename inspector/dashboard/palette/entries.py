"""Entries of the palette that need the database or the help: captures, saved views, filters."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone

from inspector.archive.listing.capture_values import CaptureRow
from inspector.archive.listing.spoken_terms import meant_queries
from inspector.archive.queries import Captures
from inspector.archive.saved_views import ViewEntry
from inspector.core.rules import finding_codes
from inspector.dashboard.archive.filter_bar import FilterBar
from inspector.documentation import library
from inspector.formatting.humanize import moment, plural
from inspector.query.parsed_query import FilterTerm

MIN_CHARACTERS = 2
"""A single letter is in most names: filters are looked for from the second on."""
MAX_VIEWS, MAX_FILTERS, MAX_HELP = 8, 6, 6


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
    if not is_long:
        return tuple(_views_group(team, text, views))
    filters = (
        *_meant(team, text, captures, filter_bar),
        *_filters(team, text, captures, filter_bar),
    )
    groups = (
        PaletteGroup("captures", "Captures", tuple(map(_capture, captures.named(text)))),
        *_views_group(team, text, views),
        PaletteGroup("filters", "Filter this search", filters),
        PaletteGroup("help", "Help", tuple(_help(text))),
        PaletteGroup("rules", "Rules", tuple(_rules(text))),
    )
    return tuple(group for group in groups if group.entries)


def _views_group(team: str, text: str, views: Iterable[ViewEntry]) -> Iterator[PaletteGroup]:
    if found := tuple(_views(team, text, views))[:MAX_VIEWS]:
        yield PaletteGroup("views", "Saved views", found)


def _capture(row: CaptureRow) -> PaletteEntry:
    words = f"{row.model or 'no model'}, {row.verdict or row.state}"
    return PaletteEntry(words, reverse("dashboard:capture", args=[row.id]), moment(row.called_at))


def _views(team: str, text: str, views: Iterable[ViewEntry]) -> Iterator[PaletteEntry]:
    for view in views:
        if text.casefold() in view.name.casefold():
            aside = "view, the team’s" if view.is_team else "view, mine"
            yield PaletteEntry(view.name, _list(team, view.address), aside)


def _meant(
    team: str, text: str, captures: Captures, filter_bar: FilterBar
) -> Iterator[PaletteEntry]:
    """Yield what the words stand for in the language of the box, where captures have it."""
    for meant, _ in meant_queries(text):
        if number := captures.number_of(meant, timezone.now()):
            query = urlencode({"q": meant}, safe=":,><=")
            yield PaletteEntry(meant, _list(team, query), plural(number, "capture"), is_code=True)


def _filters(
    team: str, text: str, captures: Captures, filter_bar: FilterBar
) -> Iterator[PaletteEntry]:
    found = captures.values_like(text, filter_bar.conditions.filters)
    for field, value, number in found[:MAX_FILTERS]:
        term = FilterTerm(field.name, value)
        yield _filter(team, term, filter_bar, plural(number, "capture"))


def _help(text: str) -> Iterator[PaletteEntry]:
    return _titled(text, ((page.title, page.name) for page in library.listed_pages()))


def _rules(text: str) -> Iterator[PaletteEntry]:
    return _titled(text, ((code, f"{library.RULES}/{code}") for code in finding_codes()))


def _titled(text: str, titles: Iterable[tuple[str, str]]) -> Iterator[PaletteEntry]:
    """Yield pages of the help whose title has all of the words."""
    words = text.casefold().split()
    found = (each for each in titles if all(word in each[0].casefold() for word in words))
    for title, name in islice(found, MAX_HELP):
        yield PaletteEntry(title, library.address_of(name), "help")


def _filter(team: str, term: FilterTerm, filter_bar: FilterBar, aside: str) -> PaletteEntry:
    is_there = term in filter_bar.conditions.all
    query = filter_bar.toggle_query(term)
    aside = "take it off" if is_there else aside
    return PaletteEntry(f"{term.name}:{term.value}", _list(team, query), aside, is_code=True)


def text_search(team: str, text: str) -> PaletteEntry:
    return PaletteEntry(f"Find “{text}”", _list(team, urlencode({"q": text})), "whole archive")


def _list(team: str, query: str) -> str:
    return reverse("dashboard:archive", args=[team]) + (f"?{query}" if query else "")
