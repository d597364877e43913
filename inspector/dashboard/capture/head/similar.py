"""Links from a capture to comparisons and to lists of similar captures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import reverse

from inspector.archive.listing.capture_values import CapturePage
from inspector.archive.listing.filter_params import FilterTerm, query_string
from inspector.core.findings import Finding
from inspector.dashboard.capture.panels.findings import sorted_findings
from inspector.dashboard.compare_links import SideRef, choice_ref, compare_url, previous_reading_ref
from inspector.formatting.humanize import short_id


@dataclass(frozen=True, slots=True)
class CaptureLink:
    words: str
    url: str


def comparison_links(page: CapturePage) -> tuple[CaptureLink, ...]:
    """Comparison links, the earlier side first: neighbours in the list, captures with the same
    bytes, the analysis by an earlier version, and the capture's own choices.
    """
    return tuple(
        CaptureLink(words, compare_url(names)) for words, names in offered_comparisons(page)
    )


def offered_comparisons(page: CapturePage) -> Iterator[tuple[str, tuple[SideRef, SideRef]]]:
    here = SideRef(page.row.id)
    if page.older:
        yield "the one before it", (SideRef(page.older), here)
    if page.newer:
        yield "the one after it", (here, SideRef(page.newer))
    for capture_id in page.same_bytes_as:
        yield (
            f"{short_id(capture_id)}, the same bytes",
            in_order_of_arrival(SideRef(capture_id), here),
        )
    if page.previous is not None:
        earlier = f"version {page.previous.analysis_version}"
        yield f"how {earlier} read it", (previous_reading_ref(here), here)
    indexes = [choice.index for choice in page.analysis.choices] if page.analysis else []
    if len(indexes) > 1:
        pair = choice_ref(here, indexes[0]), choice_ref(here, indexes[1])
        yield f"choice {indexes[0]} with choice {indexes[1]}", pair


def in_order_of_arrival(one: SideRef, other: SideRef) -> tuple[SideRef, SideRef]:
    # UUIDv7 ids sort by creation time.
    first, second = sorted((one, other), key=lambda named: named.id)
    return first, second


def similar_capture_links(
    page: CapturePage, findings: tuple[Finding, ...]
) -> tuple[CaptureLink, ...]:
    """Archive links filtered by what this capture has: one link per shared value, then one for all
    of them together.
    """
    conditions = tuple(shared_conditions(page, findings))
    found = [CaptureLink(words, archive_url(page, condition)) for words, condition in conditions]
    if len(found) > 1:
        every = archive_url(page, *(condition for _, condition in conditions))
        found.append(CaptureLink("all of these", every))
    return tuple(found)


def shared_conditions(
    page: CapturePage, findings: tuple[Finding, ...]
) -> Iterator[tuple[str, FilterTerm]]:
    row = page.row
    if row.model:
        yield f"model {row.model}", FilterTerm("model", row.model)
    if row.verdict:
        yield f"verdict {row.verdict}", FilterTerm("verdict", row.verdict)
    worst = sorted_findings(findings)[:1]
    for finding in worst:
        yield f"finding {finding.code}", FilterTerm("finding", finding.code)


def archive_url(page: CapturePage, *conditions: FilterTerm) -> str:
    return f"{reverse('dashboard:archive', args=[page.team_slug])}?{query_string(conditions)}"
