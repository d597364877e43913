"""One side of a comparison: a capture, one of its choices, or its previous analysis."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from inspector.archive.listing.capture_values import CaptureFacts
from inspector.archive.opened import OpenedCapture
from inspector.archive.queries import Captures
from inspector.archive.readouts import StoredReadout, TruncatedValue
from inspector.core.analysis import Analysis
from inspector.core.completion import Choice
from inspector.core.request.prompt.prompt import PromptReading
from inspector.core.request.prompt.reading import PromptRequest, read_prompt
from inspector.dashboard.compare_links import LETTERS, SideRef
from inspector.formatting.humanize import plural, short_id

MAX_MESSAGES = 200
"""Messages of each side that are compared."""


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """``analysis`` is None if there is none yet, or none at all."""

    named: SideRef
    position: int
    facts: CaptureFacts
    analysis: Analysis | None
    choices: tuple[Choice, ...] = ()
    """The compared choices: all, or one."""
    cuts: tuple[TruncatedValue, ...] = ()
    """Values of the analysis that are kept in part."""
    prompt: PromptReading | None = None
    """Prompt of the request; None where it is not known, or not read."""
    missing: str = ""
    """A sentence if the capture exists but the named choice or analysis does not."""

    @property
    def letter(self) -> str:
        return LETTERS[self.position]

    @property
    def model(self) -> str | None:
        """The model that answered, else the one that was asked for."""
        return (self.analysis.model if self.analysis else None) or self.facts.request_model

    @property
    def is_of_one_choice(self) -> bool:
        return self.analysis is not None and len(self.choices) < len(self.analysis.choices)


Sides = tuple[ComparedSide, ComparedSide]


def those_without(sides: Sides, read: Callable[[ComparedSide], object]) -> str:
    """Names the sides of which something is None: ``A``, ``A and B``."""
    return " and ".join(side.letter for side in sides if read(side) is None)


def load_sides(captures: Captures, names: tuple[SideRef, ...]) -> tuple[ComparedSide, ...] | None:
    """Load the sides; None if the user can see none or not all of the captures."""
    sides = tuple(_sides(captures, names))
    return sides if len(sides) == len(names) else None


def _sides(captures: Captures, names: tuple[SideRef, ...]) -> Iterator[ComparedSide]:
    is_single = any(name.choice is not None for name in names)
    for position, name in enumerate(names):
        capture = captures.opened(name.id, with_evidence=not name.is_previous)
        if capture is None:
            return
        read = captures.previous_readout(name.id) if name.is_previous else capture.readout_if_loaded
        yield _side(name, position, capture, read, is_single=is_single)


def _side(
    name: SideRef,
    position: int,
    capture: OpenedCapture,
    read: StoredReadout | None,
    *,
    is_single: bool,
) -> ComparedSide:
    if read is None:
        return ComparedSide(name, position, capture, None, missing=_no_reading(name))
    choices = read.analysis.choices
    if name.choice is not None:
        choices = tuple(choice for choice in choices if choice.index == name.choice)
    elif is_single:
        choices = choices[:1]
    missing = _no_choice(name, read.analysis) if name.choice is not None and not choices else ""
    return ComparedSide(
        name, position, capture, read.analysis, choices, read.cuts, _prompt(name, capture), missing
    )


def _prompt(name: SideRef, capture: OpenedCapture) -> PromptReading | None:
    # Of an earlier analysis no evidence is loaded, and its request is that of the later one.
    sent = capture.request.body if not name.is_previous and capture.request else None
    return read_prompt(PromptRequest(sent, count=MAX_MESSAGES)) if sent else None


def _no_reading(name: SideRef) -> str:
    if not name.is_previous:
        return ""
    return f"Capture {short_id(name.id)} has no earlier analysis."


def _no_choice(name: SideRef, analysis: Analysis) -> str:
    number = plural(len(analysis.choices), "choice")
    return f"Capture {short_id(name.id)} has no choice {name.choice}; it has {number}."
