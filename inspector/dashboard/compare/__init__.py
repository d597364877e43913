"""Compares two sides (captures, choices or an earlier analysis) in one headline and sections."""

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.dashboard.compare.fields import compare_fields
from inspector.dashboard.compare.findings import compare_findings
from inspector.dashboard.compare.measures import Costs, measure_words
from inspector.dashboard.compare.overview import overview
from inspector.dashboard.compare.prompts import compare_prompts
from inspector.dashboard.compare.section import ComparisonSection, joined
from inspector.dashboard.compare.side import Sides
from inspector.dashboard.compare.texts import DiffBudget, compare_texts
from inspector.dashboard.compare.timing import compare_timing
from inspector.dashboard.compare.tool_calls import compare_tool_calls
from inspector.dashboard.compare.usage_counts import compare_usage

ORDER = (
    ("texts", "Answer", ("texts",)),
    ("prompt", "Prompt", ("prompt",)),
    ("spent", "Usage and time", ("usage", "timing")),
    ("calls", "Tool calls", ("calls",)),
    ("findings", "Findings", ("findings",)),
    ("rest", "Other fields", ("about", "fields")),
)
"""Slug and title of each section, and those that it is made of."""
CHOICES_SHARE_REST = "Choices of one capture share usage, times and findings."


@dataclass(frozen=True, slots=True)
class CaptureComparison:
    """``answer`` and ``measures`` are the headline, ``rest`` the other differences."""

    answer: str
    measures: str
    rest: str
    note: str
    sections: tuple[ComparisonSection, ...]

    @property
    def differing(self) -> tuple[ComparisonSection, ...]:
        return tuple(each for each in self.sections if each.content)

    @property
    def same(self) -> tuple[ComparisonSection, ...]:
        return tuple(each for each in self.sections if not each.content)


def compare_sides(sides: Sides, costs: Costs) -> CaptureComparison:
    """Build the comparison of two sides that were read."""
    sections = tuple(each for each in sections_of(sides, costs) if each is not None)
    answer = next(each.clause for each in sections if each.slug == "texts")
    note = CHOICES_SHARE_REST if is_one_reading(sides) else ""
    measures = measure_words(sides, costs)
    return CaptureComparison(
        as_sentence(answer),
        as_sentence(measures) if measures else "",
        as_sentence(rest_of(sections)),
        note,
        tuple(joined_sections(sections)),
    )


def joined_sections(sections: tuple[ComparisonSection, ...]) -> Iterator[ComparisonSection]:
    """Yield the sections in the order of a page; small ones that belong together are one."""
    by_slug = {each.slug: each for each in sections}
    for slug, title, parts in ORDER:
        found = [by_slug[part] for part in parts if part in by_slug]
        if found:
            yield found[0] if len(parts) == 1 else joined(slug, title, found)


def is_one_reading(sides: Sides) -> bool:
    """Return True if both sides are choices of the same analysis."""
    before, after = (side.named for side in sides)
    return (before.id, before.is_previous) == (after.id, after.is_previous)


def sections_of(sides: Sides, costs: Costs) -> Iterator[ComparisonSection | None]:
    room = DiffBudget()
    is_one_capture = sides[0].named.id == sides[1].named.id
    yield compare_texts(sides, room)
    yield compare_tool_calls(sides, room)
    if not is_one_capture:
        yield compare_prompts(sides, room)
    if not is_one_reading(sides):
        yield compare_usage(sides, costs)
        yield compare_timing(sides)
        yield compare_findings(sides)
    yield overview(sides)
    yield compare_fields(sides)


def rest_of(sections: tuple[ComparisonSection, ...]) -> str:
    # Differences in how a side was obtained (streaming, analysis version) precede those in content.
    ordered = sorted(sections, key=lambda each: each.slug != "about")
    clauses = [each.clause for each in ordered if each.slug != "texts" and each.clause]
    if clauses:
        return "; ".join(clauses)
    is_known = all(each.is_known for each in sections)
    return "nothing else differs" + ("" if is_known else " in the stored analyses")


def as_sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."
