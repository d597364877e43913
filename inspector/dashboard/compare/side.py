"""One side of a comparison: a capture, a choice of it, or a reading of it that was replaced."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.archive.document import Bounded, Cut
from inspector.archive.opened import OpenedCapture
from inspector.archive.queries import Captures
from inspector.archive.readers.not_read import NotRead
from inspector.archive.reading import REMEMBERED_BYTES, weight_of
from inspector.archive.values import CapturePage
from inspector.core.analysis import Analysis
from inspector.core.completion import Choice
from inspector.dashboard.compare.named import ORDINALS, Named
from inspector.dashboard.templatetags.formats import plural, short_id


@dataclass(frozen=True, slots=True)
class Side:
    """``analysis`` is None where there is nothing to compare yet, or ever."""

    named: Named
    position: int
    page: CapturePage
    analysis: Analysis | None
    choices: tuple[Choice, ...] = ()
    """Those that are compared: all, or one."""
    cuts: tuple[Cut, ...] = ()
    """What the reading lacks that is compared: empty where it was read again, in full."""
    missing: str = ""
    """A sentence where the capture is there and what was named of it is not."""

    @property
    def ordinal(self) -> str:
        return ORDINALS[self.position]

    @property
    def is_of_one_choice(self) -> bool:
        return self.analysis is not None and len(self.choices) < len(self.analysis.choices)


def sides_of(captures: Captures, names: tuple[Named, ...]) -> tuple[Side, ...] | None:
    """None where the asker sees no such capture: one of them, or all."""
    sides = tuple(_sides(captures, names))
    return sides if len(sides) == len(names) else None


def _sides(captures: Captures, names: tuple[Named, ...]) -> Iterator[Side]:
    replaced = {name.id for name in names if name.is_previous}
    is_single = any(name.choice is not None for name in names)
    for position, name in enumerate(names):
        page = captures.opened(name.id, with_evidence=not name.is_previous)
        if page is None:
            return
        read = (
            captures.replaced(name.id)
            if name.is_previous
            else _read(page, as_stored=name.id in replaced)
        )
        yield _side(name, position, page, read, is_single=is_single)


def _read(page: OpenedCapture, *, as_stored: bool) -> Bounded | None:
    """Two readings of one capture are both taken as they were stored; what is too heavy to be
    remembered, and takes seconds to read each time, is too."""
    stored = Bounded(page.analysis, page.cuts) if page.analysis else None
    if stored is None or as_stored:
        return stored
    try:
        found = page.readout if weight_of(page.body) <= REMEMBERED_BYTES else page.remembered
    except NotRead:
        return stored
    return Bounded(found.analysis, ()) if found else stored


def _side(
    name: Named, position: int, page: CapturePage, read: Bounded | None, *, is_single: bool
) -> Side:
    if read is None:
        return Side(name, position, page, None, missing=_no_reading(name))
    choices = read.analysis.choices
    if name.choice is not None:
        choices = tuple(choice for choice in choices if choice.index == name.choice)
    elif is_single:
        choices = choices[:1]
    missing = _no_choice(name, read.analysis) if name.choice is not None and not choices else ""
    return Side(name, position, page, read.analysis, choices, read.cuts, missing)


def _no_reading(name: Named) -> str:
    if not name.is_previous:
        return ""
    return f"Capture {short_id(name.id)} has no earlier analysis."


def _no_choice(name: Named, analysis: Analysis) -> str:
    number = plural(len(analysis.choices), "choice")
    return f"Capture {short_id(name.id)} has no choice {name.choice}; it has {number}."
