"""Figures that a test has this process count, in a folder of the test's own."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, values

from inspector.metrics import figures
from inspector.metrics.figures import LIBRARYS_FOLDER, Figures, add_figures, figures_in

LABELS = ("program", "route", "code", "outcome", "kind", "le")


@contextmanager
def counted_in(folder: Path, program: str = "web") -> Iterator[Figures]:
    with pytest.MonkeyPatch.context() as patch:
        # The library knows one folder and one kind of values for a process.
        patch.setenv(LIBRARYS_FOLDER, str(folder))
        patch.setattr(values, "ValueClass", values.ValueClass)
        patch.setattr(figures, "FOLDER", folder)
        found = figures_in(folder, program)
        assert found is not None
        patch.setattr(figures, "FIGURES", found)
        yield found


def sums() -> dict[tuple[str, ...], float]:
    """``("requests_total", "web", "page", "200"): 1.0``, of all programs."""
    registry = CollectorRegistry()
    add_figures(registry)
    return {
        (
            sample.name.removeprefix("inspector_"),
            *(sample.labels[name] for name in LABELS if name in sample.labels),
        ): sample.value
        for family in registry.collect()
        for sample in family.samples
    }
