"""Compares two or more sides (captures, choices or earlier analyses) in one headline and
sections.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.dashboard.compare.extras import compare_extras
from inspector.dashboard.compare.fields import compare_fields, compare_keys
from inspector.dashboard.compare.findings import compare_findings
from inspector.dashboard.compare.headers import compare_headers
from inspector.dashboard.compare.overview import overview
from inspector.dashboard.compare.prompts import compare_prompts
from inspector.dashboard.compare.section import ComparisonSection
from inspector.dashboard.compare.side import ComparedSide
from inspector.dashboard.compare.texts import DiffBudget, compare_texts
from inspector.dashboard.compare.timing import compare_timing
from inspector.dashboard.compare.tool_calls import compare_tool_calls
from inspector.dashboard.compare.usage_counts import compare_checks, compare_usage, ledgers_of

CHOICES_SHARE_REST = "Choices of one capture share usage, checks, times and findings."


@dataclass(frozen=True, slots=True)
class ComparisonHeadline:
    """Differences of one side from the first, the answer's first."""

    ordinal: str
    answer: str
    rest: str


@dataclass(frozen=True, slots=True)
class CaptureComparison:
    headlines: tuple[ComparisonHeadline, ...]
    note: str
    sections: tuple[ComparisonSection, ...]


def compare_sides(sides: tuple[ComparedSide, ...]) -> CaptureComparison:
    """Builds the comparison of at least two sides, all of which were read."""
    sections = tuple(sections_of(sides))
    return CaptureComparison(
        headlines=tuple(
            comparison_headline(at, side, sections) for at, side in enumerate(sides[1:])
        ),
        note=CHOICES_SHARE_REST if are_choices_of_one_reading(sides) else "",
        sections=sections,
    )


def are_choices_of_one_reading(sides: tuple[ComparedSide, ...]) -> bool:
    """True if all sides are choices of the same analysis."""
    return len({(side.named.id, side.named.is_previous) for side in sides}) == 1


def sections_of(sides: tuple[ComparedSide, ...]) -> Iterator[ComparisonSection]:
    room = DiffBudget()
    answers = compare_texts(sides, room)
    called = compare_tool_calls(sides, room)
    yield answers
    if called is not None:
        yield called
    if len({side.named.id for side in sides}) > 1:
        yield compare_prompts(sides, room)
    if not are_choices_of_one_reading(sides):
        ledgers = ledgers_of(sides)
        yield compare_usage(sides, ledgers)
        checked = compare_checks(sides, ledgers)
        if checked is not None:
            yield checked
    yield compare_timing(sides)
    if not are_choices_of_one_reading(sides):
        yield compare_findings(sides)
    yield overview(sides)
    yield compare_fields(sides)
    yield compare_keys(sides)
    yield compare_extras(sides)
    if len({side.named.id for side in sides}) > 1:
        yield compare_headers(sides)


def comparison_headline(
    at: int, side: ComparedSide, sections: tuple[ComparisonSection, ...]
) -> ComparisonHeadline:
    answer = next(each.clauses[at] for each in sections if each.slug == "texts")
    # Differences in how a side was obtained (streaming, analysis version) precede those in content.
    ordered = sorted(sections, key=lambda each: each.slug != "about")
    rest = [each.clauses[at] for each in ordered if each.slug != "texts" and each.clauses]
    other_clauses = "; ".join(filter(None, rest)) or nothing_else_differs(sections)
    return ComparisonHeadline(side.ordinal, as_sentence(answer), as_sentence(other_clauses))


def nothing_else_differs(sections: tuple[ComparisonSection, ...]) -> str:
    if all(each.is_known for each in sections):
        return "nothing else differs"
    return "nothing else differs in the stored analyses"


def as_sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."
