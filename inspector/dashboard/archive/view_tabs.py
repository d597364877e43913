"""Tabs above the list: all captures, the present search, and the saved views."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils import timezone

from inspector.archive.listing.filter_params import FilterParams, parse_filter_params
from inspector.archive.listing.filters import NO_FILTERS
from inspector.archive.queries import BoundedCount, Captures
from inspector.archive.saved_views import ViewEntry
from inspector.dashboard.archive.bulk_progress import count_words
from inspector.dashboard.archive.columns import SORT

TAIL = "tail"
"""Parameter of a list that is followed."""
LAYOUT_PARAMS = (SORT,)
"""Parameters of the list that are no filters and belong to a view."""
COUNTING_MS = 2_000
"""For all tabs together; those behind have no number."""

READY = (
    ("Needs a look", "finding:error,warning"),
    ("Truncated", "result:truncated"),
    ("Errors", "result:error"),
    ("Slow", "first_token>2s"),
)
"""Views that every archive has: name and query."""

Counter = Callable[[FilterParams], str]


@dataclass(frozen=True, slots=True)
class ViewTab:
    name: str
    query: str
    """Query of the list that it opens."""
    is_current: bool
    number: str = ""
    """As counted; empty before that, and where it is not known."""
    is_saved: bool = True
    problem: str = ""
    """Why the saved query cannot be read any more."""


@dataclass(frozen=True, slots=True)
class ViewTabs:
    lists: tuple[ViewTab, ...]
    """All captures, and the present search if it is not saved."""
    mine: tuple[ViewTab, ...]
    team: tuple[ViewTab, ...]

    @property
    def groups(self) -> tuple[tuple[str, tuple[ViewTab, ...]], ...]:
        named = (("", self.lists), ("Mine", self.mine), ("Team", self.team))
        return tuple((name, tabs) for name, tabs in named if tabs)

    @property
    def is_unsaved(self) -> bool:
        """Tells whether the present list could be saved."""
        return not all(tab.is_saved for tab in self.lists)


def build_tabs(
    views: Iterable[ViewEntry],
    conditions: FilterParams,
    layout: str,
    count: Counter = lambda conditions: "",
) -> ViewTabs:
    """``conditions`` and ``layout`` are those of the present list."""
    found = tuple(views)
    present = _meaning(conditions, layout)
    saved = [(view, _tab_of(view, present, count)) for view in found]
    is_all = present == (frozenset(), "")
    lists = [ViewTab("All", "", is_all, count(FilterParams())), *_ready(present, count)]
    if not any(tab.is_current for tab in (*lists, *(tab for _, tab in saved))):
        query = "&".join(filter(None, (str(conditions), layout)))
        lists.append(ViewTab("Unsaved search", query, True, count(conditions), is_saved=False))
    return ViewTabs(
        tuple(lists),
        tuple(tab for view, tab in saved if not view.is_team),
        tuple(tab for view, tab in saved if view.is_team),
    )


def _ready(present: tuple[object, str], count: Counter) -> Iterator[ViewTab]:
    for name, text in READY:
        conditions = parse_filter_params({"q": [text]}, timezone.now())
        is_current = _meaning(conditions, "") == present
        yield ViewTab(name, str(conditions), is_current, count(conditions))


def counter_of(captures: Captures) -> Counter:
    """Count matching captures until the time for all tabs is used up."""
    end = time.monotonic() + COUNTING_MS / 1000

    def count(conditions: FilterParams) -> str:
        if conditions.filters == NO_FILTERS:
            counts = captures.state_counts()
            return count_words(BoundedCount(counts.accepted - counts.deleted))
        left = int((end - time.monotonic()) * 1000)
        return count_words(captures.count(conditions.filters, left)) if left > 0 else ""

    return count


def layout_of(query_params: QueryDict) -> str:
    """Return the part of the list's address that belongs to a view besides filters, as a query
    string.
    """
    return urlencode(
        [(name, value) for name in LAYOUT_PARAMS for value in query_params.getlist(name)]
    )


def _tab_of(view: ViewEntry, present: tuple[object, str], count: Counter) -> ViewTab:
    is_current = not view.problem and _meaning(view.conditions, view.layout) == present
    number = "" if view.problem else count(view.conditions)
    return ViewTab(view.name, view.address, is_current, number, problem=view.problem)


def _meaning(conditions: FilterParams, layout: str) -> tuple[object, str]:
    # The order of terms decides nothing.
    return frozenset(map(str, conditions.query.parts)), layout
