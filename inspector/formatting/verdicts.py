"""Labels of verdicts and states: always a word and a shape, never a colour alone."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from inspector.core.analysis import Verdict


class VerdictTone(StrEnum):
    """CSS class that sets colour and shape."""

    GOOD = "good"
    PARTIAL = "part"
    BROKEN = "bad"
    CANCELLED = "none"
    WAITING = "wait"


@dataclass(frozen=True, slots=True)
class VerdictLabel:
    text: str
    tone: VerdictTone

    @property
    def sentence(self) -> str:
        """Capitalises ``cut-off`` for the start of a sentence."""
        return self.text.replace("-", " ").capitalize() + "."


VERDICT_TONES: dict[str, VerdictTone] = {
    Verdict.COMPLETE: VerdictTone.GOOD,
    Verdict.IN_PROGRESS: VerdictTone.WAITING,
    Verdict.CLIENT_CANCELLED: VerdictTone.CANCELLED,
    Verdict.CAPPED: VerdictTone.PARTIAL,
    Verdict.ELIDED: VerdictTone.PARTIAL,
    Verdict.MISSING_FINISH: VerdictTone.PARTIAL,
    Verdict.MISSING_TERMINATOR: VerdictTone.PARTIAL,
}

UNFINISHED_STATES = ("recording", "received", "processing")


def verdict_label(state: str, verdict: str | None) -> VerdictLabel:
    """Label of the verdict, or of the capture's state if there is none."""
    if verdict is not None:
        return VerdictLabel(verdict, VERDICT_TONES.get(verdict, VerdictTone.BROKEN))
    if state in UNFINISHED_STATES:
        return VerdictLabel("processing", VerdictTone.WAITING)
    return VerdictLabel(state, VerdictTone.BROKEN)


UNREAD_REASONS: dict[str, str] = {
    Verdict.UNREADABLE: "The body is not valid JSON, so it has no parsed content.",
    Verdict.NOT_A_RESPONSE: "The body has no known response format, so it has no parsed content.",
}
