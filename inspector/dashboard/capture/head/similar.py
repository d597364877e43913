"""Links from a capture to comparisons and to lists of similar captures."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import reverse

from inspector.archive.listing.capture_fields import PROMPT
from inspector.archive.listing.capture_values import CaptureFacts
from inspector.core.findings import Finding
from inspector.dashboard.capture.findings.panel import sorted_findings
from inspector.dashboard.compare_links import SideRef, choice_ref, compare_url, previous_reading_ref
from inspector.formatting.humanize import plural, short_id
from inspector.query.parsed_query import FilterTerm, query_string, text_query


@dataclass(frozen=True, slots=True)
class CaptureLink:
    words: str
    url: str


def comparison_links(capture: CaptureFacts) -> tuple[CaptureLink, ...]:
    """Comparison links: another model that answered the prompt; then, the earlier side first,
    neighbours in the list, captures with the same bytes, the analysis by an earlier version, and
    the capture's own choices.
    """
    offered = (*model_offered(capture), *offered_comparisons(capture))
    return tuple(CaptureLink(words, compare_url(names)) for words, names in offered)


def model_offered(capture: CaptureFacts) -> Iterator[tuple[str, tuple[SideRef, SideRef]]]:
    if capture.same_prompt and capture.same_prompt.other_model:
        model, other = capture.same_prompt.other_model
        yield f"the same prompt, {model}", (SideRef(capture.row.id), SideRef(other))


def offered_comparisons(capture: CaptureFacts) -> Iterator[tuple[str, tuple[SideRef, SideRef]]]:
    here = SideRef(capture.row.id)
    if capture.older:
        yield "the one before it", (SideRef(capture.older), here)
    if capture.newer:
        yield "the one after it", (here, SideRef(capture.newer))
    if capture.retry_of:
        yield "the call that it repeats", (SideRef(capture.retry_of), here)
    for capture_id in capture.same_bytes_as:
        yield (
            f"{short_id(capture_id)}, the same bytes",
            in_order_of_arrival(SideRef(capture_id), here),
        )
    if capture.previous is not None:
        earlier = f"version {capture.previous.analysis_version}"
        yield f"how {earlier} read it", (previous_reading_ref(here), here)
    indexes = [choice.index for choice in capture.analysis.choices] if capture.analysis else []
    if len(indexes) > 1:
        pair = choice_ref(here, indexes[0]), choice_ref(here, indexes[1])
        yield f"choice {indexes[0]} with choice {indexes[1]}", pair


@dataclass(frozen=True, slots=True)
class SamePromptLinks:
    """Links of the head to other captures of the prompt; ``compared`` is None where no other
    model answered it.
    """

    captures: CaptureLink
    compared: CaptureLink | None


def same_prompt_links(capture: CaptureFacts) -> SamePromptLinks | None:
    """None where there is no other capture of the prompt."""
    same = capture.same_prompt
    if same is None or not same.number:
        return None
    words = f"{plural(same.number, 'other')}" if same.is_all else f"over {same.number:,} others"
    listed = text_query(str(FilterTerm(PROMPT, capture.prompt_sha256 or "")))
    captures = CaptureLink(words, f"{archive_list(capture)}?{listed}")
    if same.other_model is None:
        return SamePromptLinks(captures, None)
    model, other = same.other_model
    compared = compare_url((SideRef(capture.row.id), SideRef(other)))
    return SamePromptLinks(captures, CaptureLink(f"compare with {model}", compared))


def in_order_of_arrival(one: SideRef, other: SideRef) -> tuple[SideRef, SideRef]:
    # UUIDv7 ids sort by creation time.
    first, second = sorted((one, other), key=lambda named: named.id)
    return first, second


def similar_capture_links(
    capture: CaptureFacts, findings: tuple[Finding, ...]
) -> tuple[CaptureLink, ...]:
    """Archive links: one for each value that this capture shares, then one for all of them."""
    conditions = tuple(shared_conditions(capture, findings))
    found = [CaptureLink(words, archive_url(capture, condition)) for words, condition in conditions]
    if len(found) > 1:
        every = archive_url(capture, *(condition for _, condition in conditions))
        found.append(CaptureLink("all of these", every))
    return tuple(found)


def shared_conditions(
    capture: CaptureFacts, findings: tuple[Finding, ...]
) -> Iterator[tuple[str, FilterTerm]]:
    row = capture.row
    if row.model:
        yield f"model {row.model}", FilterTerm("model", row.model)
    if row.verdict:
        yield f"verdict {row.verdict}", FilterTerm("verdict", row.verdict)
    worst = sorted_findings(findings)[:1]
    for finding in worst:
        yield f"finding {finding.code}", FilterTerm("finding", finding.code)


def archive_url(capture: CaptureFacts, *conditions: FilterTerm) -> str:
    return f"{archive_list(capture)}?{query_string(conditions)}"


def archive_list(capture: CaptureFacts) -> str:
    return reverse("dashboard:archive", args=[capture.team_slug])
