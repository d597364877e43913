"""What each side is: who answered, how it ended, and by which reading it is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby

from inspector.core.analysis import Analysis
from inspector.core.dialects import vendor_named
from inspector.dashboard.compare.named import both
from inspector.dashboard.compare.section import Cell, Row, Section, table
from inspector.dashboard.compare.side import Side
from inspector.dashboard.marks import exact
from inspector.dashboard.templatetags.formats import moment, plural, size
from inspector.dashboard.wire import finish_word

Told = Callable[[Side, Analysis], str | None]
MOST_FINISHES = 6
NOT_NOTED = "unknown"


def about(sides: tuple[Side, ...]) -> Section:
    rows = tuple(
        row(name, sides, told, word, is_muted=is_muted) for name, told, word, is_muted in FACTS
    )
    differing = sum(each.differs for each in rows)
    return Section(
        slug="about",
        title="Summary",
        sentence="" if differing else f"The same model, ending and form on {both(len(sides))}.",
        content=table("Summary of each side", tuple(side.ordinal for side in sides), rows),
        count=f"{differing}" if differing else "same",
        clauses=tuple("; ".join(clauses(sides[0], side)) for side in sides[1:]),
    )


def row(name: str, sides: tuple[Side, ...], told: Told, word: str, *, is_muted: bool) -> Row:
    cells = tuple(cell(side, told, word) for side in sides)
    # What was not noted on one side is no difference in what was answered.
    is_unknown = word == NOT_NOTED and any(each.tone for each in cells)
    return Row(exact(name), cells, is_muted=is_muted or is_unknown)


def cell(side: Side, told: Told, word: str) -> Cell:
    said = told(side, side.analysis) if side.analysis else None
    return Cell(word, tone="faint") if said is None else Cell(said)


# -- facts -----------------------------------------------------------------------------------------


def vendor(side: Side, analysis: Analysis) -> str | None:
    found = vendor_named(analysis.vendor)
    return found.title if found else None


def form(side: Side, analysis: Analysis) -> str:
    return "stream" if analysis.streamed else "not streamed"


def status(side: Side, analysis: Analysis) -> str | None:
    return None if side.page.status_code is None else str(side.page.status_code)


def finishes(side: Side, analysis: Analysis) -> str | None:
    """Equal reasons that follow one another once, with their number."""
    groups = groupby(finish_word(choice.finish_reason) for choice in side.choices)
    told = [(reason, len(list(same))) for reason, same in groups]
    words = [reason if times == 1 else f"{reason} × {times}" for reason, times in told]
    if len(words) > MOST_FINISHES:
        words[MOST_FINISHES:] = [f"{len(words) - MOST_FINISHES} more"]
    return ", ".join(words) or None


def choices(side: Side, analysis: Analysis) -> str:
    if side.is_of_one_choice:
        return f"choice {side.choices[0].index} of {len(analysis.choices)}"
    return plural(len(analysis.choices), "choice")


def version(side: Side, analysis: Analysis) -> str:
    return str(analysis.analysis_version)


FACTS: tuple[tuple[str, Told, str, bool], ...] = (
    ("verdict", lambda side, analysis: str(analysis.verdict), "unknown", False),
    ("finish reason", finishes, "no choices", False),
    ("choices", choices, "unknown", True),
    ("model answered", lambda side, analysis: analysis.model, "not sent", False),
    ("model requested", lambda side, analysis: side.page.request_model, NOT_NOTED, False),
    ("dialect", lambda side, analysis: analysis.dialect, "unknown", False),
    ("vendor", vendor, "unknown", False),
    ("came as", form, "unknown", False),
    ("HTTP status", status, NOT_NOTED, False),
    ("size", lambda side, analysis: size(side.page.row.byte_length), "unknown", True),
    ("received", lambda side, analysis: moment(side.page.row.received_at), "unknown", True),
    ("analysis version", version, "unknown", True),
)
"""Name, what is told of a side, the word where nothing is known, and whether it is only shown."""


# -- for the headline ------------------------------------------------------------------------------


OTHERS = (
    ("model", "another model answered"),
    ("dialect", "another dialect"),
    ("vendor", "another vendor"),
)


def clauses(first: Side, other: Side) -> Iterator[str]:
    """What is worth knowing before any difference is read."""
    before, after = first.analysis, other.analysis
    if before is None or after is None:
        return
    if before.streamed != after.streamed:
        streamed, whole = (first, other) if before.streamed else (other, first)
        yield f"the {streamed.ordinal} was streamed, the {whole.ordinal} was not"
    if first.named.id == other.named.id and before.analysis_version != after.analysis_version:
        versions = f"{before.analysis_version} and {after.analysis_version}"
        yield f"one capture, analysis versions {versions}"
    yield from (told for name, told in OTHERS if getattr(before, name) != getattr(after, name))
    if before.verdict != after.verdict:
        yield f"verdict {before.verdict} and {after.verdict}"
    elif finishes(first, before) != finishes(other, after):
        yield "other finish reasons"
