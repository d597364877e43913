"""Links from a capture to comparisons and to lists of similar captures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.urls import reverse

from inspector.archive.listing.capture_fields import PROMPT
from inspector.archive.listing.capture_values import CapturePage
from inspector.core.findings import Finding
from inspector.dashboard.capture.panels.findings import sorted_findings
from inspector.dashboard.compare_links import SideRef, choice_ref, compare_url, previous_reading_ref
from inspector.formatting.humanize import plural, short_id
from inspector.query.parsed_query import FilterTerm, query_string, text_query


@dataclass(frozen=True, slots=True)
class CaptureLink:
    words: str
    url: str


def comparison_links(page: CapturePage) -> tuple[CaptureLink, ...]:
    """Comparison links: other models that answered the prompt; then, the earlier side first,
    neighbours in the list, captures with the same bytes, the analysis by an earlier version, and
    the capture's own choices.
    """
    offered = (*models_offered(page), *offered_comparisons(page))
    return tuple(CaptureLink(words, compare_url(names)) for words, names in offered)


def models_offered(page: CapturePage) -> Iterator[tuple[str, tuple[SideRef, ...]]]:
    if page.same_prompt and (models := page.same_prompt.by_model):
        yield f"the same prompt, {other_models(models)}", of_models(page, models)


def offered_comparisons(page: CapturePage) -> Iterator[tuple[str, tuple[SideRef, SideRef]]]:
    here = SideRef(page.row.id)
    if page.older:
        yield "the one before it", (SideRef(page.older), here)
    if page.newer:
        yield "the one after it", (here, SideRef(page.newer))
    if page.retry_of:
        yield "the call that it repeats", (SideRef(page.retry_of), here)
    if page.minimised_from:
        yield "the one it was minimised from", (SideRef(page.minimised_from), here)
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


@dataclass(frozen=True, slots=True)
class SamePromptLinks:
    """What the head says of other captures of the prompt; ``compared`` is None where no other
    model answered it.
    """

    captures: CaptureLink
    compared: CaptureLink | None


def same_prompt_links(page: CapturePage) -> SamePromptLinks | None:
    """None where there is no other capture of the prompt."""
    same = page.same_prompt
    if same is None or not same.number:
        return None
    words = f"{plural(same.number, 'other')}" if same.is_all else f"over {same.number:,} others"
    listed = text_query(str(FilterTerm(PROMPT, page.prompt_sha256 or "")))
    captures = CaptureLink(words, f"{archive_list(page)}?{listed}")
    if not same.by_model:
        return SamePromptLinks(captures, None)
    compared = compare_url(of_models(page, same.by_model))
    words = f"compare with {other_models(same.by_model)}"
    return SamePromptLinks(captures, CaptureLink(words, compared))


def of_models(page: CapturePage, models: Iterable[tuple[str, UUID]]) -> tuple[SideRef, ...]:
    return (SideRef(page.row.id), *(SideRef(capture_id) for _, capture_id in models))


def other_models(models: Sequence[tuple[str, UUID]]) -> str:
    """The name of one other model, else how many there are."""
    return models[0][0] if len(models) == 1 else f"{len(models)} other models"


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
    return f"{archive_list(page)}?{query_string(conditions)}"


def archive_list(page: CapturePage) -> str:
    return reverse("dashboard:archive", args=[page.team_slug])
