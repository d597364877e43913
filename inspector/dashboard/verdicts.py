"""How a verdict or a state looks: always a word, a shape and a tone, never a colour alone."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from inspector.core.analysis import Verdict


class Tone(StrEnum):
    """The class of a word; the stylesheet gives it ink and a shape."""

    GOOD = "good"
    PARTIAL = "part"
    BROKEN = "bad"
    CANCELLED = "none"
    WAITING = "wait"


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    tone: Tone

    @property
    def sentence(self) -> str:
        """``cut-off`` as the beginning of a sentence."""
        return self.text.replace("-", " ").capitalize() + "."


TONES: dict[str, Tone] = {
    Verdict.COMPLETE: Tone.GOOD,
    Verdict.IN_PROGRESS: Tone.WAITING,
    Verdict.CLIENT_CANCELLED: Tone.CANCELLED,
    Verdict.CAPPED: Tone.PARTIAL,
    Verdict.ELIDED: Tone.PARTIAL,
    Verdict.MISSING_FINISH: Tone.PARTIAL,
    Verdict.MISSING_TERMINATOR: Tone.PARTIAL,
}

UNFINISHED_STATES = ("recording", "received", "processing")


def word_for(state: str, verdict: str | None) -> Word:
    """The verdict where there is one, else the state that the capture is in."""
    if verdict is not None:
        return Word(verdict, TONES.get(verdict, Tone.BROKEN))
    if state in UNFINISHED_STATES:
        return Word("processing", Tone.WAITING)
    return Word(state, Tone.BROKEN)
