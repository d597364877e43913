"""Compares the sides' basic facts: vendor, model, verdict, and analysis version."""

from collections.abc import Callable, Iterator
from itertools import groupby

from inspector.core.analysis import Analysis
from inspector.core.vendors import vendor_named
from inspector.dashboard.compare.section import (
    ComparisonCell,
    ComparisonRow,
    ComparisonSection,
    comparison_table,
    count_words,
)
from inspector.dashboard.compare.side import ComparedSide, Sides
from inspector.formatting.finish_names import finish_name
from inspector.formatting.humanize import moment, plural, size
from inspector.formatting.invisible_characters import exact_segments
from inspector.formatting.wire_values import finish_word

FactReader = Callable[[ComparedSide, Analysis], str | None]
MAX_FINISHES = 6
"""A cell has one line: further reasons are counted."""
NOT_KNOWN = "unknown"


def overview(sides: Sides) -> ComparisonSection:
    rows = [overview_row(sides, *fact) for fact in OVERVIEW_FACTS]
    differing = sum(each.differs for each in rows)
    return ComparisonSection(
        slug="about",
        title="Summary",
        sentence="" if differing else "The same model, ending and form on both.",
        content=comparison_table("Summary of each side", sides, rows),
        count=count_words(differing),
        clause="; ".join(clauses(*sides)),
    )


def overview_row(
    sides: Sides, name: str, reader: FactReader, word: str, is_muted: bool
) -> ComparisonRow:
    before, after = (overview_cell(side, reader, word) for side in sides)
    # A fact unknown on one side does not count as a difference.
    is_unknown = word == NOT_KNOWN and bool(before.tone or after.tone)
    return ComparisonRow(exact_segments(name), (before, after), is_muted=is_muted or is_unknown)


def overview_cell(side: ComparedSide, reader: FactReader, word: str) -> ComparisonCell:
    fact = reader(side, side.analysis) if side.analysis else None
    return ComparisonCell(word, tone="faint") if fact is None else ComparisonCell(fact)


# -- facts -----------------------------------------------------------------------------------------


def vendor(side: ComparedSide, analysis: Analysis) -> str | None:
    found = vendor_named(analysis.vendor)
    return found.title if found else None


def form(side: ComparedSide, analysis: Analysis) -> str:
    return "stream" if analysis.streamed else "not streamed"


def status(side: ComparedSide, analysis: Analysis) -> str | None:
    return None if side.facts.status_code is None else str(side.facts.status_code)


def finishes(side: ComparedSide, analysis: Analysis) -> str | None:
    """Finish reasons in order of choice, with runs of equal ones merged to ``stop × 3``."""
    groups = groupby(
        finish_word(finish_name(analysis.dialect, choice.finish_reason)) for choice in side.choices
    )
    runs = [(reason, len(list(same))) for reason, same in groups]
    words = [reason if times == 1 else f"{reason} × {times}" for reason, times in runs]
    if len(words) > MAX_FINISHES:
        words[MAX_FINISHES:] = [f"{len(words) - MAX_FINISHES} more"]
    return ", ".join(words) or None


def result(side: ComparedSide, analysis: Analysis) -> str:
    return str(side.choices[0].result if side.is_of_one_choice else analysis.result)


def choices(side: ComparedSide, analysis: Analysis) -> str:
    if side.is_of_one_choice:
        return f"choice {side.choices[0].index} of {len(analysis.choices)}"
    return plural(len(analysis.choices), "choice")


def version(side: ComparedSide, analysis: Analysis) -> str:
    return str(analysis.analysis_version)


OVERVIEW_FACTS: tuple[tuple[str, FactReader, str, bool], ...] = (
    ("verdict", lambda side, analysis: str(analysis.verdict), "unknown", False),
    ("result", result, "unknown", False),
    ("finish reason", finishes, "no choices", False),
    ("choices", choices, "unknown", True),
    ("model answered", lambda side, analysis: analysis.model, "not sent", False),
    ("model requested", lambda side, analysis: side.facts.request_model, NOT_KNOWN, False),
    ("format", lambda side, analysis: analysis.dialect, "unknown", False),
    ("vendor", vendor, "unknown", False),
    ("came as", form, "unknown", False),
    ("HTTP status", status, NOT_KNOWN, False),
    ("size", lambda side, analysis: size(side.facts.row.byte_length), "unknown", True),
    ("called", lambda side, analysis: moment(side.facts.row.called_at), "unknown", True),
    ("analysis version", version, "unknown", True),
)
"""Name, reader, word for an unknown value, and whether the row is only shown, not compared."""


# -- for the headline ------------------------------------------------------------------------------


DIFFERING_FACTS = (
    ("model", "another model answered"),
    ("dialect", "another format"),
    ("vendor", "another vendor"),
)


def clauses(first: ComparedSide, other: ComparedSide) -> Iterator[str]:
    """Yield facts that matter before any difference in content."""
    before, after = first.analysis, other.analysis
    if before is None or after is None:
        return
    if before.streamed != after.streamed:
        streamed, whole = (first, other) if before.streamed else (other, first)
        yield f"{streamed.letter} was streamed, {whole.letter} was not"
    if first.named.id == other.named.id and before.analysis_version != after.analysis_version:
        versions = f"{before.analysis_version} and {after.analysis_version}"
        yield f"one capture, analysis versions {versions}"
    yield from (
        clause for name, clause in DIFFERING_FACTS if getattr(before, name) != getattr(after, name)
    )
    if before.verdict != after.verdict:
        yield f"verdict {before.verdict} and {after.verdict}"
    elif result(first, before) != result(other, after):
        yield f"result {result(first, before)} and {result(other, after)}"
    elif finishes(first, before) != finishes(other, after):
        yield "other finish reasons"
