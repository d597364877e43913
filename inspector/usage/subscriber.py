"""Keeps prices and sums as captures are read and deleted."""

from collections.abc import Sequence

from inspector.archive.events import ProjectionChange
from inspector.archive.models import Capture
from inspector.usage.cost.providers import load_providers
from inspector.usage.rollup import rollups


def prepare() -> None:
    load_providers()


def inspected(changes: Sequence[ProjectionChange]) -> None:
    rollups.update_rollups(changes)


def deleted(captures: Sequence[Capture]) -> None:
    rollups.forget([each.pk for each in captures])
