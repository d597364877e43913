"""The columns of the archive list: their heads, what they sort by, and which are shown at first."""

from dataclasses import dataclass

from inspector.archive.listing.sort import NEWEST_FIRST, Sort, SortKey

SORT = "sort"
"""Parameter of the page."""


@dataclass(frozen=True, slots=True)
class Column:
    """``name`` is the CSS class of its cells; ``is_optional`` columns can be hidden."""

    name: str
    label: str
    title: str = ""
    key: SortKey | None = None
    is_optional: bool = True
    is_shown: bool = True
    """Shown until a reader chooses otherwise."""
    is_number: bool = False


COLUMNS = (
    Column("col-time", "time", "of the call, UTC", SortKey.CALLED, is_optional=False),
    Column("col-arrived", "arrived", "when it came, UTC; of those that came long after the call",
           SortKey.ARRIVAL),
    Column("col-result", "result", "what the reader got, and how the transport ended"),
    Column("col-answer", "answer", is_optional=False),
    Column("col-finding", "problem"),
    Column("model", "model"),
    Column("col-key", "key", "the API key that sent it", is_shown=False),
    Column("col-dialect", "format, vendor", is_shown=False),
    Column("finish", "finish", "finish reasons", is_shown=False),
    Column("in", "in", "prompt tokens", SortKey.TOKENS_IN, is_shown=False, is_number=True),
    Column("out", "out", "completion tokens", SortKey.TOKENS_OUT, is_shown=False, is_number=True),
    Column("col-size", "size", "of the response", SortKey.SIZE, is_shown=False, is_number=True),
    Column("cost", "cost", "in US dollars", SortKey.COST, is_number=True),
    Column("first", "first s", "time to first token, in seconds", SortKey.FIRST_TOKEN,
           is_number=True),
    Column("total", "total s", "duration, in seconds", SortKey.DURATION, is_number=True),
    Column("col-timeline", "timeline, 0 to 12 s"),
    Column("col-id", "provider id", "the provider's id of the response", is_shown=False),
    Column("tags", "tags", is_shown=False),
)  # fmt: skip

ORDER_WORDS = {
    SortKey.CALLED: ("Newest first", "Oldest first"),
    SortKey.ARRIVAL: ("Latest arrival first", "Earliest arrival first"),
    SortKey.FIRST_TOKEN: ("Slowest first token first", "Fastest first token first"),
    SortKey.DURATION: ("Longest first", "Shortest first"),
    SortKey.TOKENS_IN: ("Most tokens in first", "Fewest tokens in first"),
    SortKey.TOKENS_OUT: ("Most tokens out first", "Fewest tokens out first"),
    SortKey.COST: ("Most expensive first", "Cheapest first"),
    SortKey.SIZE: ("Largest first", "Smallest first"),
}
MISSING_WORDS = {
    SortKey.FIRST_TOKEN: "those without a recorded first token come last",
    SortKey.DURATION: "those without recorded times come last",
    SortKey.TOKENS_IN: "those without a count come last",
    SortKey.TOKENS_OUT: "those without a count come last",
    SortKey.COST: "those of unknown cost come last",
}


@dataclass(frozen=True, slots=True)
class ColumnHead:
    """``query`` sorts by the column, or turns the direction round where it is sorted by."""

    column: Column
    query: str | None
    sorted: str = ""
    """Value of ``aria-sort``; empty where another column is sorted by."""


def columns(sort: Sort, filter_query: str) -> tuple[ColumnHead, ...]:
    return tuple(_head(column, sort, filter_query) for column in COLUMNS)


def order_words(sort: Sort) -> str:
    """``Slowest first token first; those without a recorded first token come last``."""
    words = _direction_words(sort)
    missing = MISSING_WORDS.get(sort.key)
    return f"{words}; {missing}" if missing else words


def order_options(sort: Sort) -> tuple[tuple[str, str, bool], ...]:
    """Value, words, and whether it is the current one, of every order."""
    every = [Sort(key, is_descending) for key in SortKey for is_descending in (True, False)]
    return tuple((str(each), _direction_words(each), each == sort) for each in every)


def _direction_words(sort: Sort) -> str:
    largest, smallest = ORDER_WORDS[sort.key]
    return largest if sort.is_descending else smallest


def _head(column: Column, sort: Sort, filter_query: str) -> ColumnHead:
    if column.key is None:
        return ColumnHead(column, None)
    is_current = column.key is sort.key
    following = Sort(column.key, is_descending=not (is_current and sort.is_descending))
    terms = () if following == NEWEST_FIRST else (f"{SORT}={following}",)
    direction = "descending" if sort.is_descending else "ascending"
    query = "&".join((*terms, *filter(None, [filter_query])))
    return ColumnHead(column, query, direction if is_current else "")
