"""Labels of verdicts, results and states: always a word and a shape, never a colour alone."""

from dataclasses import dataclass
from enum import StrEnum

import msgspec

from inspector.core.analysis import Analysis, Verdict
from inspector.core.answer.sentence import Sentence, sentence
from inspector.core.completion import Result
from inspector.core.findings import Severity


class VerdictTone(StrEnum):
    """CSS class that sets colour and shape."""

    GOOD = "good"
    PARTIAL = "part"
    BROKEN = "bad"
    CANCELLED = "none"
    WAITING = "wait"


@dataclass(frozen=True, slots=True)
class VerdictLabel:
    """The verdict, or the capture's state if there is none, with the tone of the worse of verdict
    and result. ``result`` is empty where it adds nothing to the verdict.
    """

    text: str
    tone: VerdictTone
    result: str = ""

    @property
    def words(self) -> str:
        """Such as ``complete, empty``."""
        return f"{self.text}, {self.result}" if self.result else self.text

    @property
    def is_complete(self) -> bool:
        return self.text == Verdict.COMPLETE

    @property
    def phrase(self) -> str:
        """Such as ``complete, but empty:``, for the start of a sentence that gives the reasons."""
        if not self.result:
            return f"{self.text}."
        joint = "but" if self.is_complete else "and"
        return f"{self.text}, {joint} {RESULT_PHRASES[self.result]}:"

    @property
    def sentence(self) -> str:
        """Such as ``Cut off.`` or ``Complete, but empty:``."""
        words = VERDICT_WORDS.get(self.text, self.text.replace("-", " "))
        phrase = self.phrase.replace(self.text, words, 1)
        return phrase[:1].upper() + phrase[1:]


@dataclass(frozen=True, slots=True)
class ListSign:
    """Verdict, result or state as a list shows each on its own: a word, with shape and tone."""

    text: str
    tone: VerdictTone


VERDICT_WORDS: dict[str, str] = {Verdict.PART: "part of a response"}
"""Verdicts that a sentence calls otherwise."""
NOT_JSON, PRINTED = "not JSON", frozenset({"json.python-notation", "json.javascript-notation"})
"""In place of *unreadable*, of what a program prints: nobody sent it, and it is read."""
VERDICT_TONES: dict[str, VerdictTone] = {
    NOT_JSON: VerdictTone.PARTIAL,
    Verdict.COMPLETE: VerdictTone.GOOD,
    Verdict.IN_PROGRESS: VerdictTone.WAITING,
    Verdict.OTHER: VerdictTone.CANCELLED,
    Verdict.CLIENT_CANCELLED: VerdictTone.CANCELLED,
    Verdict.PART: VerdictTone.CANCELLED,
    Verdict.CAPPED: VerdictTone.PARTIAL,
    Verdict.ELIDED: VerdictTone.PARTIAL,
    Verdict.MISSING_FINISH: VerdictTone.PARTIAL,
    Verdict.MISSING_TERMINATOR: VerdictTone.PARTIAL,
}

RESULT_TONES: dict[str, VerdictTone] = {
    Result.ANSWERED: VerdictTone.GOOD,
    Result.CALLED: VerdictTone.GOOD,
    Result.PENDING: VerdictTone.WAITING,
    Result.REFUSED: VerdictTone.PARTIAL,
    Result.FILTERED: VerdictTone.PARTIAL,
    Result.TRUNCATED: VerdictTone.PARTIAL,
    Result.EMPTY: VerdictTone.PARTIAL,
    Result.TO_BE_CONTINUED: VerdictTone.PARTIAL,
    Result.UNKNOWN: VerdictTone.CANCELLED,
}
GOOD_RESULTS = (Result.ANSWERED, Result.CALLED)
"""Results that are not named beside an answer, because the answer shows them."""
RESULT_PHRASES: dict[str, str] = {
    Result.ERROR: "with an error",
    Result.PENDING: "pending",
    Result.REFUSED: "refused",
    Result.FILTERED: "filtered",
    Result.TRUNCATED: "truncated",
    Result.UNUSABLE_CALL: "with an unusable call",
    Result.EMPTY: "empty",
    Result.TO_BE_CONTINUED: "to be continued",
}
"""Results that are shown beside a verdict."""
FOLLOWING_RESULTS: frozenset[tuple[str, str]] = frozenset(
    {
        (Verdict.IN_PROGRESS, Result.PENDING),
        (Verdict.CAPPED, Result.TRUNCATED),
        (Verdict.CLIENT_CANCELLED, Result.TRUNCATED),
        (Verdict.CUT_OFF, Result.TRUNCATED),
        (Verdict.UPSTREAM_ERROR, Result.TRUNCATED),
        (Verdict.UPSTREAM_ERROR, Result.ERROR),
        (Verdict.PROVIDER_ERROR, Result.ERROR),
    }
)
"""Results that the verdict already says."""
_WORSE = (
    VerdictTone.GOOD,
    VerdictTone.CANCELLED,
    VerdictTone.WAITING,
    VerdictTone.PARTIAL,
    VerdictTone.BROKEN,
)

RECORDING_STATE = "recording"
UNFINISHED_STATES = (RECORDING_STATE, "received", "processing")
STATE_WORDS = {"received": "waiting"}


def verdict_label(state: str, verdict: str | None, result: str | None = None) -> VerdictLabel:
    """Label of verdict and result, or of the capture's state if there is no verdict."""
    if verdict is not None:
        return VerdictLabel(
            verdict, worse_tone(verdict, result), result_beside(verdict, result or "")
        )
    if state in UNFINISHED_STATES:
        return VerdictLabel(STATE_WORDS.get(state, state), VerdictTone.WAITING)
    return VerdictLabel(state, VerdictTone.BROKEN)


def list_signs(
    state: str, verdict: str | None, result: str | None
) -> tuple[ListSign | None, ListSign]:
    """Return the sign of the result, None while there is none, and that of verdict or state."""
    if verdict is None:
        label = verdict_label(state, None)
        return None, ListSign(label.text, label.tone)
    below = ListSign(verdict, worse_tone(verdict))
    return (ListSign(result, result_tone(result)) if result else None), below


def worse_tone(verdict: str, result: str | None = None) -> VerdictTone:
    """Return the tone of the worse of the two; that of the verdict if the result is not known."""
    tone = VERDICT_TONES.get(verdict, VerdictTone.BROKEN)
    return tone if result is None else max(tone, result_tone(result), key=_WORSE.index)


def result_tone(result: str) -> VerdictTone:
    return RESULT_TONES.get(result, VerdictTone.BROKEN)


def result_severity(result: str) -> Severity:
    """Return the severity in whose colour and shape a result is shown on its own."""
    severities = {VerdictTone.BROKEN: Severity.ERROR, VerdictTone.PARTIAL: Severity.WARNING}
    return severities.get(result_tone(result), Severity.INFO)


def result_beside(verdict: str, result: str) -> str:
    """Return the result if it is shown beside the verdict, "" otherwise."""
    is_said = (verdict, result) in FOLLOWING_RESULTS
    return result if result in RESULT_PHRASES and not is_said else ""


def analysis_label(analysis: Analysis) -> VerdictLabel:
    is_print = any(each.code in PRINTED for each in analysis.findings)
    is_read = analysis.verdict is Verdict.UNREADABLE and is_print
    verdict = NOT_JSON if is_read else analysis.verdict
    return verdict_label("inspected", verdict, analysis.result)


def ending_sentence(analysis: Analysis) -> Sentence:
    """Return the reasons, of the result if shown, of the verdict behind the label's phrase."""
    if not result_beside(analysis.verdict, analysis.result):
        return analysis.verdict_clauses
    first, *rest = analysis.result_clauses
    lower = msgspec.structs.replace(first, text=first.text[:1].lower() + first.text[1:])
    return sentence(lower, tuple(rest), " ", analysis.verdict_clauses)


UNREAD_REASONS: dict[str, str] = {
    Verdict.OTHER: "The call asked for no completion, so there is no parsed content.",
    Verdict.UNREADABLE: "The body is not valid JSON, so it has no parsed content.",
    Verdict.NOT_A_RESPONSE: "The body has no known response format, so it has no parsed content.",
}
