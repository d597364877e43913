"""The answers side by side: text, reasoning, refusal, speech, sources and calls of each choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString
from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.completion import Choice, known
from inspector.core.pointer import escaped
from inspector.core.tape import LaneKind
from inspector.dashboard.answers import Said, answer_of, answer_text, calls_of
from inspector.dashboard.arguments import CallText, call_text
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.comparison import Comparison, comparison
from inspector.dashboard.divergence import Divergence, divergence
from inspector.dashboard.footnotes import Footnotes, annotations_of, source_marks, sources_of
from inspector.dashboard.lane_place import place_of_text
from inspector.dashboard.markdown import MOST_CHARACTERS, markdown
from inspector.dashboard.panel import Drawn, Panel
from inspector.dashboard.panels import unread
from inspector.dashboard.passages import MOST_FOLDED, Mark, Passage, Shared, passage
from inspector.dashboard.provenance import Provenance, Span, u16_length
from inspector.dashboard.speech import Speech, speech_of
from inspector.dashboard.templatetags.formats import plural, usd
from inspector.dashboard.votes import tally_of, tally_words
from inspector.dashboard.why_empty import CHOICES, why_empty
from inspector.dashboard.wire import ORDINARY_FINISHES, finish_word, wire_word

MOST_CHOICES = 200
MOST_RENDERED = 100_000
"""Characters of all answers together that are read as Markdown."""
MOST_ON_PAGE = 1_000_000
"""Characters that all choices together fold on the page."""


@dataclass(frozen=True, slots=True)
class ShownChoice:
    index: int
    finish: str
    finish_ordinary: bool
    role: str | None
    facts: tuple[str, ...]
    feedback_token: str | None
    votes: str
    """In words; empty where nobody voted on it."""
    apart: Divergence | None
    """Where it parts from the first choice; None for that one."""
    is_chosen: bool
    """The first choice is held against this one."""
    reasoning: Passage | None
    refusal: Passage | None
    answer: Passage
    rendered: SafeString | None
    unrendered: str
    """Why the answer is not shown as Markdown; empty where it is, or is not asked for."""
    speech: Speech | None
    footnotes: Footnotes
    calls: tuple[CallText, ...]

    @property
    def is_refused(self) -> bool:
        return self.refusal is not None and not self.refusal.absent

    @property
    def can_copy(self) -> bool:
        """The whole answer (the refusal where there is no answer) is on the page as text."""
        text = self.refusal if self.refusal and self.answer.absent else self.answer
        return not text.absent and not text.rest_length and self.rendered is None


@dataclass(frozen=True, slots=True)
class Side:
    """What a choice says at the fork; the event that says it, where one does."""

    choice: int
    word: str
    event: int | None


@dataclass(frozen=True, slots=True)
class Fork:
    """The sentence under the choices: where two of them part and which events say so."""

    same: bool
    shared: int
    sides: tuple[Side, Side]

    @property
    def pair(self) -> str:
        """As the comparison of the two is asked for."""
        return f"{self.sides[0].choice}-{self.sides[1].choice}"


@dataclass(frozen=True, slots=True)
class Choices:
    mode: str
    """``text``, ``markdown`` or ``diff``."""
    total: int
    first: int
    """The index of the choice that the others are held against."""
    start: int
    following: int | None
    """The position of the first choice that is not shown any more."""
    columns: str
    choices: tuple[ShownChoice, ...]
    fork: Fork | None
    sources: Footnotes
    comparison: Comparison | None = None

    @property
    def last(self) -> int:
        return self.start + len(self.choices) - 1


def draw(view: CaptureView) -> Drawn:
    if view.analysis is None or unread(view):
        return Drawn(why_empty=unread(view))
    if not view.analysis.choices:
        return Drawn(why_empty=why_empty(view, CHOICES).sentence)
    return Drawn(str(len(view.analysis.choices)), choices_of(view, view.analysis))


def choices_of(view: CaptureView, analysis: Analysis) -> Choices:
    every, mode = analysis.choices, mode_of(view, analysis)
    start = start_of(view, len(every))
    end = min(start + MOST_CHOICES, len(every))
    sources, chosen = sources_of(analysis.extras), chosen_of(view, every)
    drawing = Drawing(view, mode, every[0], chosen, sources, start, every[start:end])
    is_diff = mode == "diff"
    return Choices(
        mode=mode,
        total=len(every),
        first=every[0].index,
        start=start,
        following=end if end < len(every) else None,
        columns=columns_for(end - start),
        choices=() if is_diff else tuple(map(drawing.shown, drawing.choices)),
        fork=fork_of(every[0], chosen, view.provenance) if chosen else None,
        sources=sources,
        comparison=comparison(every, view.asked.get("diff", "")) if is_diff else None,
    )


def mode_of(view: CaptureView, analysis: Analysis) -> str:
    asked = view.asked.get("choices")
    can_compare = len(analysis.choices) > 1
    return asked if asked == "markdown" or (asked == "diff" and can_compare) else "text"


def start_of(view: CaptureView, total: int) -> int:
    return min(view.number("choices_from") or 0, total - 1)


def chosen_of(view: CaptureView, choices: tuple[Choice, ...]) -> Choice | None:
    """The choice that the first one is held against."""
    asked = view.asked.get("choices_fork")
    others = choices[1:]
    named = (choice for choice in others if str(choice.index) == asked)
    return next(named, others[0] if others else None)


def columns_for(number: int) -> str:
    return {1: "one", 2: "pair", 3: "triple"}.get(number, "many")


@dataclass(frozen=True, slots=True)
class Drawing:
    """How each choice of one capture is drawn."""

    view: CaptureView
    mode: str
    first: Choice
    chosen: Choice | None
    sources: Footnotes
    start: int
    choices: tuple[Choice, ...]
    """Those that are shown; ``start`` is the position of the first."""

    @property
    def provenance(self) -> Provenance | None:
        return self.view.provenance

    def shown(self, choice: Choice) -> ShownChoice:
        said, thought = answer_of(choice)
        footnotes = self.footnotes(choice)
        apart = self.apart(choice)
        marks = self.marks(footnotes, said)
        answer = self.passage(choice, said, shared_of(said, apart), marks)
        rendered, unrendered = self.rendered(said)
        return ShownChoice(
            index=choice.index,
            finish=finish_word(choice.finish_reason),
            finish_ordinary=choice.finish_reason in ORDINARY_FINISHES,
            role=odd_role(choice),
            facts=facts_of(choice, answer, self.provenance),
            feedback_token=str(choice.feedback_token) if known(choice.feedback_token) else None,
            votes=votes_of(choice, self.view),
            apart=None if choice is self.first else apart,
            is_chosen=choice is self.chosen,
            reasoning=self.passage(choice, thought) if thought else None,
            refusal=self.refusal(choice),
            answer=answer,
            rendered=rendered,
            unrendered=unrendered,
            speech=speech_of(choice, self.speech_length(choice)),
            footnotes=footnotes,
            calls=tuple(call_text(call) for call in calls_of(choice)),
        )

    def apart(self, choice: Choice) -> Divergence | None:
        """Each choice is held against the first, the first against the chosen one."""
        other = self.chosen if choice is self.first else self.first
        return divergence([answer_text(choice), answer_text(other)]) if other else None

    def footnotes(self, choice: Choice) -> Footnotes:
        content = choice.content if isinstance(choice.content, str) else ""
        return annotations_of(choice.annotations, choice.index, content)

    def marks(self, footnotes: Footnotes, said: Said) -> list[Mark]:
        """In characters of the answer, which may begin after reasoning."""
        text = said.text if isinstance(said.text, str) else ""
        inside = (mark for mark in footnotes.marks if mark.start >= said.at)
        moved = [Mark(m.start - said.at, m.end - said.at, m.to, m.label) for m in inside]
        return [*moved, *source_marks(self.sources, text)]

    def passage(
        self,
        choice: Choice,
        said: Said,
        shared: Shared | None = None,
        marks: Sequence[Mark] = (),
    ) -> Passage:
        span = span_of(choice, said, self.provenance)
        most = min(MOST_FOLDED, MOST_ON_PAGE // len(self.choices))
        place = place_of_text(self.view, choice, said)
        return passage(said.kind, said.text, span, shared, marks, most, place)

    def refusal(self, choice: Choice) -> Passage | None:
        said = Said(LaneKind.REFUSAL, choice.refusal)
        return self.passage(choice, said) if known(choice.refusal) else None

    def rendered(self, said: Said) -> tuple[SafeString | None, str]:
        if self.mode != "markdown" or not isinstance(said.text, str) or not said.text:
            return None, ""
        most = self.most_rendered()
        if len(said.text) > most:
            length = plural(len(said.text), "character")
            return None, f"Shown as text: {length} are more than the limit of {most:,}."
        return markdown(said.text), ""

    def most_rendered(self) -> int:
        """Characters of one answer that are read as Markdown; fewer where there is much to read."""
        if sum(len(answer_text(choice)) for choice in self.choices) <= MOST_RENDERED:
            return MOST_CHARACTERS
        return min(MOST_CHARACTERS, MOST_RENDERED // len(self.choices))

    def speech_length(self, choice: Choice) -> int | None:
        """Of its base64, where the reading that is shown holds only the head of it."""
        position = self.start + self.choices.index(choice)
        pointer = f"/choices/{position}/extras/{escaped('/message/audio')}/data"
        return next((cut.length for cut in self.view.cuts if cut.pointer == pointer), None)


def votes_of(choice: Choice, view: CaptureView) -> str:
    votes = view.votes.get(choice.index)
    return tally_words(tally_of(votes)) if votes else ""


def odd_role(choice: Choice) -> str | None:
    """The role, where one was sent that is not the one that every answer has."""
    return None if choice.role in ("assistant", UNSET) else wire_word(choice.role)


def shared_of(said: Said, apart: Divergence | None) -> Shared | None:
    return Shared(apart.shared, not apart.same) if apart else None


def span_of(choice: Choice, said: Said, provenance: Provenance | None) -> Span | None:
    """Where a text came from, which is known of a whole lane."""
    is_whole = said.at == 0 and choice.inline_reasoning is None
    if provenance is None or not (is_whole or said.kind is LaneKind.REASONING):
        return None
    return provenance.span(*provenance.lanes(choice.index, said.kind))


def facts_of(choice: Choice, answer: Passage, provenance: Provenance | None) -> tuple[str, ...]:
    facts = [plural(answer.length, "character")] if answer.length else []
    if number := len(choice.tool_calls):
        facts.append(plural(number, "tool call"))
    if provenance is not None and (span := provenance.span(*provenance.lanes(choice.index))):
        facts.append(f"in {plural(span.pieces, 'chunk')}")
        if (ended := provenance.ended_us(choice.index)) is not None:
            facts.append(f"ended at {ended / 1_000_000:,.3f} s")
    return (*facts, *stated_facts(choice))


def stated_facts(choice: Choice) -> list[str]:
    """What the vendor states of a choice; a null is said, what was not sent is not."""
    cost, duration = choice.cost_usd, choice.duration_seconds
    facts = []
    if cost is not UNSET:
        facts.append("cost null" if cost is None else f"{usd(cost)} stated")
    if duration is not UNSET:
        facts.append("duration null" if duration is None else f"{duration} s stated")
    return facts


def fork_of(first: Choice, other: Choice, provenance: Provenance | None) -> Fork | None:
    apart = divergence([answer_text(first), answer_text(other)])
    if apart is None:
        return None
    sides = [
        Side(choice.index, word, event_at_fork(choice, apart.shared, provenance))
        for choice, word in zip((first, other), apart.words, strict=True)
    ]
    return Fork(apart.same, apart.shared, (sides[0], sides[1]))


def event_at_fork(choice: Choice, offset: int, provenance: Provenance | None) -> int | None:
    if provenance is None:
        return None
    said = answer_of(choice)[0]
    whole = choice.text if said.kind is LaneKind.TEXT else choice.content
    for lane in provenance.lanes(choice.index, said.kind):
        return provenance.event_of_character(lane, u16_length(str(whole)[: said.at + offset]))
    return None


PANEL = Panel(position=10, slug="choices", title="Choices", draw=draw, reads_all=True)
