"""The answers side by side: text, reasoning, refusal and calls of each choice."""

from __future__ import annotations

from dataclasses import dataclass, replace

from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.completion import Choice, FunctionCall, ToolCall, known
from inspector.core.tape import LaneKind
from inspector.dashboard.arguments import CallText, call_text
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.divergence import Divergence, divergence
from inspector.dashboard.marks import Segment, prose
from inspector.dashboard.panel import Drawn, Panel
from inspector.dashboard.panels import unread
from inspector.dashboard.provenance import Provenance, Span, u16_length
from inspector.dashboard.templatetags.formats import plural
from inspector.dashboard.wire import ORDINARY_FINISHES, finish_word, listed, wire_word

LONG = 4_000
SHOWN_OF_LONG = 2_000
PEEK = 120


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to read: what all choices share, then what is its own, then what is folded away."""

    kind: str
    length: int
    absent: str = ""
    """"empty string", "null" or "not sent" where there is no text."""
    shared: tuple[Segment, ...] = ()
    own: tuple[Segment, ...] = ()
    folded: tuple[Segment, ...] = ()
    folded_length: int = 0
    forks: bool = False
    span: Span | None = None
    peek: str = ""


@dataclass(frozen=True, slots=True)
class ShownChoice:
    index: int
    finish: str
    finish_ordinary: bool
    role: str | None
    facts: tuple[str, ...]
    cost_usd: str | None
    feedback_token: str | None
    reasoning: Passage | None
    refusal: Passage | None
    answer: Passage
    calls: tuple[CallText, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """The choices that say the same word at the fork; an event where there is one choice."""

    choices: str
    number: int
    word: str
    event: int | None


@dataclass(frozen=True, slots=True)
class Fork:
    """The sentence under the choices: where they part and which events say so."""

    same: bool
    shared: int
    sides: tuple[Side, ...]


@dataclass(frozen=True, slots=True)
class Choices:
    choices: tuple[ShownChoice, ...]
    fork: Fork | None
    columns: str


def draw(view: CaptureView) -> Drawn:
    if view.analysis is None or unread(view):
        return Drawn(why_empty=unread(view))
    if not view.analysis.choices:
        return Drawn(why_empty=why_empty(view.analysis))
    content = choices_of(view.analysis, view.provenance)
    return Drawn(str(len(content.choices)), content)


def why_empty(analysis: Analysis) -> str:
    if analysis.object == "error":
        return "The provider answered with an error object, so there are no choices."
    if analysis.object == "unknown":
        return f"Choices are not read from {analysis.dialect}; its events and times are."
    return "The body has no choices: the array is empty or was not sent."


def choices_of(analysis: Analysis, provenance: Provenance | None) -> Choices:
    apart = divergence([answer_text(choice) for choice in analysis.choices])
    shown = tuple(shown_choice(choice, apart, provenance) for choice in analysis.choices)
    fork = fork_of(analysis.choices, apart, provenance) if apart else None
    return Choices(shown, fork, columns_for(len(shown)))


def columns_for(number: int) -> str:
    return {1: "one", 2: "pair", 3: "triple"}.get(number, "many")


def answer_text(choice: Choice) -> str:
    text = answer_of(choice)[1]
    return text if isinstance(text, str) else ""


def answer_of(choice: Choice) -> tuple[LaneKind, object]:
    """The answer is ``content`` in a chat, ``text`` in a legacy completion."""
    if known(choice.text):
        return LaneKind.TEXT, choice.text
    return LaneKind.CONTENT, choice.content


def shown_choice(
    choice: Choice, apart: Divergence | None, provenance: Provenance | None
) -> ShownChoice:
    kind, text = answer_of(choice)
    answer = passage(choice, kind, text, provenance)
    if apart:
        answer = forked(answer, str(text), apart)
    return ShownChoice(
        index=choice.index,
        finish=finish_word(choice.finish_reason),
        finish_ordinary=choice.finish_reason in ORDINARY_FINISHES,
        role=odd_role(choice),
        facts=facts_of(choice, answer, provenance),
        cost_usd=choice.cost_usd if isinstance(choice.cost_usd, str) else None,
        feedback_token=str(choice.feedback_token) if known(choice.feedback_token) else None,
        reasoning=optional_passage(choice, LaneKind.REASONING, choice.reasoning, provenance),
        refusal=optional_passage(choice, LaneKind.REFUSAL, choice.refusal, provenance),
        answer=answer,
        calls=calls_of(choice),
    )


def odd_role(choice: Choice) -> str | None:
    """The role, where one was sent that is not the one that every answer has."""
    return None if choice.role in ("assistant", UNSET) else wire_word(choice.role)


def optional_passage(
    choice: Choice, kind: LaneKind, text: object, provenance: Provenance | None
) -> Passage | None:
    return passage(choice, kind, text, provenance) if known(text) else None


def passage(choice: Choice, kind: LaneKind, text: object, provenance: Provenance | None) -> Passage:
    if not isinstance(text, str) or not text:
        return Passage(kind, 0, absent=wire_word(text))
    cut = SHOWN_OF_LONG if len(text) > LONG else len(text)
    return Passage(
        kind,
        length=len(text),
        own=prose(text[:cut]),
        folded=prose(text[cut:]),
        folded_length=len(text) - cut,
        span=provenance.span(*provenance.lanes(choice.index, kind)) if provenance else None,
        peek=" ".join(text[: PEEK * 2].split())[:PEEK],
    )


def forked(answer: Passage, text: str, apart: Divergence) -> Passage:
    """The shared beginning apart from the rest; a fork inside the folded part stays folded."""
    cut = len(text) - answer.folded_length
    if answer.absent or apart.shared > cut:
        return answer
    return replace(
        answer,
        shared=prose(text[: apart.shared]),
        own=prose(text[apart.shared : cut]),
        forks=not apart.same,
    )


def calls_of(choice: Choice) -> tuple[CallText, ...]:
    calls: list[ToolCall | FunctionCall] = list(choice.tool_calls)
    if choice.function_call is not None:
        calls.append(choice.function_call)
    return tuple(call_text(call) for call in calls)


def facts_of(choice: Choice, answer: Passage, provenance: Provenance | None) -> tuple[str, ...]:
    facts = [plural(answer.length, "character")] if answer.length else []
    if number := len(choice.tool_calls):
        facts.append(plural(number, "tool call"))
    if provenance is not None and (span := provenance.span(*provenance.lanes(choice.index))):
        facts.append(f"in {plural(span.pieces, 'chunk')}")
        if (ended := provenance.ended_us(choice.index)) is not None:
            facts.append(f"ended at {ended / 1_000_000:,.3f} s")
    return tuple(facts)


def fork_of(choices: tuple[Choice, ...], apart: Divergence, provenance: Provenance | None) -> Fork:
    by_word: dict[str, list[Choice]] = {}
    for choice, word in zip(choices, apart.words, strict=True):
        by_word.setdefault(word, []).append(choice)
    sides = tuple(side(word, same, apart, provenance) for word, same in by_word.items())
    return Fork(apart.same, apart.shared, sides)


def side(word: str, same: list[Choice], apart: Divergence, provenance: Provenance | None) -> Side:
    event = event_at_fork(same[0], apart.shared, provenance) if len(same) == 1 else None
    return Side(listed([str(choice.index) for choice in same]), len(same), word, event)


def event_at_fork(choice: Choice, offset: int, provenance: Provenance | None) -> int | None:
    if provenance is None:
        return None
    kind, text = answer_of(choice)
    for lane in provenance.lanes(choice.index, kind):
        return provenance.event_of_character(lane, u16_length(str(text)[:offset]))
    return None


PANEL = Panel(position=10, slug="choices", title="Choices", draw=draw)
