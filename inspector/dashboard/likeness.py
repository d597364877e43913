"""What a capture can be compared with, and where captures like it are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import reverse

from inspector.archive.conditions import Condition, written
from inspector.archive.values import CapturePage
from inspector.core.findings import Finding
from inspector.dashboard.compare.named import Named, choice_of, compare_url, previous_of
from inspector.dashboard.panels.findings import sorted_findings
from inspector.dashboard.templatetags.formats import short_id


@dataclass(frozen=True, slots=True)
class Link:
    words: str
    url: str


def beside(page: CapturePage) -> tuple[Link, ...]:
    """The earlier one first: with its neighbours in the list, with the same bytes, with
    itself."""
    return tuple(Link(words, compare_url(names)) for words, names in comparisons(page))


def comparisons(page: CapturePage) -> Iterator[tuple[str, tuple[Named, Named]]]:
    here = Named(page.row.id)
    if page.older:
        yield "the one before it", (Named(page.older), here)
    if page.newer:
        yield "the one after it", (here, Named(page.newer))
    for id in page.same_bytes_as:
        yield f"{short_id(id)}, the same bytes", in_time(Named(id), here)
    if page.previous is not None:
        earlier = f"version {page.previous.analysis_version}"
        yield f"how {earlier} read it", (previous_of(here), here)
    indexes = [choice.index for choice in page.analysis.choices] if page.analysis else []
    if len(indexes) > 1:
        pair = choice_of(here, indexes[0]), choice_of(here, indexes[1])
        yield f"choice {indexes[0]} with choice {indexes[1]}", pair


def in_time(one: Named, other: Named) -> tuple[Named, Named]:
    """Ids are made in the order of time."""
    first, second = sorted((one, other), key=lambda named: named.id)
    return first, second


def like_this(page: CapturePage, findings: tuple[Finding, ...]) -> tuple[Link, ...]:
    """The archive of its team by what it has in common with this one, as the page shows it: each by
    itself, then all.
    """
    conditions = tuple(shared(page, findings))
    found = [Link(words, archive_url(page, condition)) for words, condition in conditions]
    if len(found) > 1:
        every = archive_url(page, *(condition for _, condition in conditions))
        found.append(Link("all of these", every))
    return tuple(found)


def shared(page: CapturePage, findings: tuple[Finding, ...]) -> Iterator[tuple[str, Condition]]:
    row = page.row
    if row.model:
        yield f"model {row.model}", Condition("model", row.model)
    if row.verdict:
        yield f"verdict {row.verdict}", Condition("verdict", row.verdict)
    worst = sorted_findings(findings)[:1]
    for finding in worst:
        yield f"finding {finding.code}", Condition("finding", finding.code)


def archive_url(page: CapturePage, *conditions: Condition) -> str:
    return f"{reverse('dashboard:archive', args=[page.team_slug])}?{written(conditions)}"
