"""Links to the fixtures of a capture."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.urls import reverse

from inspector.transfer.fixtures.registry import KINDS


@dataclass(frozen=True, slots=True)
class FixtureLink:
    kind: str
    title: str
    url: str


def fixture_links(capture_id: UUID) -> tuple[FixtureLink, ...]:
    """One link a kind, in their order."""
    return tuple(
        FixtureLink(kind, form.title, reverse("dashboard:fixture", args=[capture_id, kind]))
        for kind, form in KINDS.items()
    )
