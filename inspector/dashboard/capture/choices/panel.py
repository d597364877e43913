"""Panel with the choices side by side: text, reasoning, refusal, audio, sources and tool calls."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from django.utils.safestring import SafeString
from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.completion import BlockKind, Choice, Result, known
from inspector.core.formats import DEFAULT_FAMILY, dialects, family_of
from inspector.core.json import Json
from inspector.core.json.pointer import escape_step
from inspector.core.request.request_params import requested_schema
from inspector.core.tape import LaneKind, length_u16
from inspector.dashboard.capture.choices.blocks import (
    MAX_BLOCKS,
    MIN_BLOCKS,
    BlockDisplay,
    BlockRenderer,
    TextOptions,
)
from inspector.dashboard.capture.choices.divergence import Divergence, find_divergence
from inspector.dashboard.capture.choices.footnotes import (
    Footnotes,
    annotation_footnotes,
    source_footnotes,
    source_marks,
)
from inspector.dashboard.capture.choices.json_answer import looks_like_json, render_json
from inspector.dashboard.capture.choices.passages import (
    MAX_FOLDED_CHARACTERS,
    FootnoteMark,
    SharedPrefix,
    TextPassage,
    text_passage,
)
from inspector.dashboard.capture.choices.prose import BlockRun, block_runs
from inspector.dashboard.capture.choices.speech import SpeechDisplay, speech_display
from inspector.dashboard.capture.feedback.votes import may_issue, vote_words
from inspector.dashboard.capture.page.block_order import is_in_order
from inspector.dashboard.capture.page.block_texts import block_texts, place_in_lane
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.lane_position import text_lane_position
from inspector.dashboard.capture.page.panel_body import Panel, PanelBody, unread_reason
from inspector.dashboard.capture.page.provenance import ArrivalSpan, Provenance
from inspector.dashboard.capture.page.why_empty import CHOICES, is_printed, why_empty
from inspector.dashboard.capture.tool_calls.call_text import CallTextDisplay, call_text_display
from inspector.dashboard.text.choice_diff import ChoiceDiff, diff_choices
from inspector.dashboard.text.choice_texts import (
    ChoiceTextPart,
    answer_of,
    answer_text,
    calls_of,
    full_answer,
)
from inspector.dashboard.text.folded_text import TextFolder
from inspector.dashboard.text.markdown import MAX_CHARACTERS, render_markdown
from inspector.formatting.finish_names import finish_name, finish_with_number
from inspector.formatting.humanize import plural, usd
from inspector.formatting.verdicts import GOOD_RESULTS, result_severity
from inspector.formatting.wire_values import is_ordinary_finish, wire_word

MAX_CHOICES = 200
"""Choices on one part of the page; the others have links (docs/limits.md)."""
MAX_RENDERED = 100_000
"""Characters rendered as Markdown, over all choices."""
MAX_ON_PAGE = 1_000_000
"""Characters of folded text included in the page, over all choices."""
MAX_PARTS = 300_000
"""Characters of what is no text of the message, over all choices."""


@dataclass(frozen=True, slots=True)
class ChoiceDisplay:
    index: int
    finish: str
    finish_ordinary: bool
    result: str
    """Empty where it is shown by the answer itself: answered or called."""
    result_severity: str
    role: str | None
    facts: tuple[str, ...]
    feedback_token: str | None
    votes: str
    """Votes in words; empty if there are none."""
    divergence: Divergence | None
    """Where it diverges from the first choice; None for the first."""
    is_chosen: bool
    """True if the first choice is compared with this one."""
    reasoning: TextPassage | None
    refusal: TextPassage | None
    answer: TextPassage
    rendered: SafeString | None
    unrendered: str
    """Why the answer is not rendered as Markdown; empty if it is, or was not requested."""
    speech: SpeechDisplay | None
    footnotes: Footnotes
    calls: tuple[CallTextDisplay, ...]
    blocks: tuple[BlockDisplay, ...] = ()
    """Drawn in place of the texts and calls if it is not empty."""
    block_runs: tuple[BlockRun, ...] = ()
    """The same blocks, with texts in a row together."""
    blocks_left_out: int = 0
    is_field: bool = True
    """The answer is a field, of which is told if it was not sent."""

    @property
    def is_refused(self) -> bool:
        return self.refusal is not None and not self.refusal.absent

    @property
    def can_copy(self) -> bool:
        """True if the whole answer (or refusal) is on the page as text."""
        text = self.refusal if self.refusal and self.answer.absent else self.answer
        return (
            not self.blocks and not text.absent and not text.rest_length and self.rendered is None
        )


@dataclass(frozen=True, slots=True)
class ForkSide:
    """The text of one choice where the choices diverge, and the event that carried it, if known."""

    choice: int
    word: str
    event: int | None


@dataclass(frozen=True, slots=True)
class Fork:
    """The sentence below the choices that says where two of them diverge."""

    same: bool
    shared: int
    sides: tuple[ForkSide, ForkSide]

    @property
    def pair(self) -> str:
        """Query value that compares the two choices."""
        return f"{self.sides[0].choice}-{self.sides[1].choice}"


@dataclass(frozen=True, slots=True)
class ChoicesDisplay:
    mode: str
    """``text``, ``markdown``, ``json`` or ``diff``."""
    has_json: bool
    """Some answer looks like JSON."""
    total: int
    first: int
    """Index of the choice that the others are compared with."""
    start: int
    following: int | None
    """Position of the first choice of the next page; None on the last page."""
    columns: str
    choices: tuple[ChoiceDisplay, ...]
    fork: Fork | None
    sources: Footnotes
    comparison: ChoiceDiff | None = None
    may_vote: bool = False

    @property
    def last(self) -> int:
        return self.start + len(self.choices) - 1


def draw(view: CaptureView) -> PanelBody:
    if view.analysis is None or unread_reason(view):
        return PanelBody(why_empty=unread_reason(view))
    if not view.analysis.choices:
        return PanelBody(why_empty=why_empty(view, CHOICES).sentence)
    return PanelBody(str(len(view.analysis.choices)), choices_display(view, view.analysis))


def choices_display(view: CaptureView, analysis: Analysis) -> ChoicesDisplay:
    every, mode = analysis.choices, choices_mode(view, analysis)
    start = first_choice_index(view, len(every))
    end = min(start + MAX_CHOICES, len(every))
    sources, chosen = source_footnotes(analysis.extras), choice_to_compare(view, every)
    folder = TextFolder(MAX_PARTS)
    drawing = ChoiceRenderer(view, mode, every[0], chosen, sources, start, every[start:end], folder)
    is_diff = mode == "diff"
    return ChoicesDisplay(
        mode=mode,
        has_json=mode == "json" or any(map(is_json_answer, every[start:end])),
        total=len(every),
        first=every[0].index,
        start=start,
        following=end if end < len(every) else None,
        columns={1: "one", 2: "pair", 3: "triple"}.get(end - start, "many"),
        choices=() if is_diff else tuple(map(drawing.build, drawing.choices)),
        fork=find_fork(every[0], chosen, view.provenance) if chosen else None,
        sources=sources,
        comparison=diff_choices(every, view.query_params.get("diff", "")) if is_diff else None,
        may_vote=view.is_stored and may_issue(view),
    )


def choices_mode(view: CaptureView, analysis: Analysis) -> str:
    mode = view.query_params.get("choices")
    can_compare = len(analysis.choices) > 1
    return mode if mode in ("markdown", "json") or (mode == "diff" and can_compare) else "text"


def is_json_answer(choice: Choice) -> bool:
    return looks_like_json(answer_of(choice)[0].text)


def first_choice_index(view: CaptureView, total: int) -> int:
    return min(view.number("choices_from") or 0, total - 1)


def choice_to_compare(view: CaptureView, choices: tuple[Choice, ...]) -> Choice | None:
    """Return the choice that the first one is compared with."""
    wanted = view.query_params.get("choices_fork")
    others = choices[1:]
    named = (choice for choice in others if str(choice.index) == wanted)
    return next(named, others[0] if others else None)


@dataclass(frozen=True)
class ChoiceRenderer:
    """Builds the display of each choice of one capture."""

    view: CaptureView
    mode: str
    first: Choice
    chosen: Choice | None
    sources: Footnotes
    start: int
    choices: tuple[Choice, ...]
    """The choices on this page; ``start`` is the position of the first."""
    folder: TextFolder

    @property
    def provenance(self) -> Provenance | None:
        return self.view.provenance

    @property
    def dialect(self) -> str | None:
        return self.view.analysis.dialect if self.view.analysis else None

    def build(self, choice: Choice) -> ChoiceDisplay:
        answer_part, thought = answer_of(choice)
        footnotes = self.footnotes(choice)
        divergence = self.divergence(choice)
        marks = self.marks(footnotes, answer_part)
        answer = self.passage(choice, answer_part, shared_prefix(divergence), marks)
        is_left_out = self.is_left_out(choice)
        if is_left_out and answer_part.text is UNSET:
            answer = replace(answer, absent="unknown")
        blocks = self.blocks(choice, footnotes, divergence) if is_in_order(choice) else ()
        rendered, unrendered = (None, "") if blocks else self.rendered(answer_part.text)
        reason = finish_name(self.dialect, choice.finish_reason)
        return ChoiceDisplay(
            index=choice.index,
            finish=finish_with_number(reason, choice.finish_reason),
            finish_ordinary=is_ordinary_finish(reason),
            result="" if choice.result in GOOD_RESULTS else choice.result,
            result_severity=result_severity(choice.result),
            role=None if is_left_out else unusual_role(choice, self.dialect),
            facts=tuple(self.facts(choice, answer)),
            feedback_token=str(choice.feedback_token) if known(choice.feedback_token) else None,
            votes=vote_words(self.view, choice.index),
            divergence=None if choice is self.first else divergence,
            is_chosen=choice is self.chosen,
            reasoning=self.passage(choice, thought) if thought else None,
            refusal=self.refusal(choice),
            answer=answer,
            rendered=rendered,
            unrendered=unrendered,
            speech=speech_display(choice, self.speech_length(choice)),
            footnotes=footnotes,
            calls=tuple(call_text_display(call) for call in calls_of(choice)),
            # A message may be a list of parts, and have some but no text.
            is_field=not any(known(block.pointer) for block in choice.blocks),
            blocks=blocks,
            block_runs=block_runs(blocks, self.rendered),
            blocks_left_out=len(choice.blocks) - len(blocks) if blocks else 0,
        )

    def is_left_out(self, choice: Choice) -> bool:
        """Return True if a print of the answer leaves out what was sent."""
        analysis = self.view.analysis
        is_unknown = choice.result is Result.UNKNOWN and choice.role is UNSET
        return is_unknown and analysis is not None and is_printed(analysis)

    def blocks(
        self, choice: Choice, footnotes: Footnotes, divergence: Divergence | None
    ) -> tuple[BlockDisplay, ...]:
        answer = full_answer(choice).text
        marks = source_marks(self.sources, answer) if isinstance(answer, str) else ()
        options = TextOptions(
            shared=shared_prefix(divergence),
            marks=[*footnotes.marks, *marks],
            most_folded=self.most_folded() // max(len(choice.blocks), 1),
            render=self.rendered,
            notes_before=len(footnotes.notes),
            most_blocks=max(MIN_BLOCKS, MAX_BLOCKS // len(self.choices)),
        )
        pointer = f"/choices/{self.start + self.choices.index(choice)}"
        return BlockRenderer(self.view, choice, pointer, options, self.folder).build()

    def divergence(self, choice: Choice) -> Divergence | None:
        """Compare each choice with the first one, and the first one with the selected choice."""
        other = self.chosen if choice is self.first else self.first
        return find_divergence([answer_text(choice), answer_text(other)]) if other else None

    def footnotes(self, choice: Choice) -> Footnotes:
        content = choice.content if isinstance(choice.content, str) else ""
        return annotation_footnotes(choice.annotations, choice.index, content)

    def marks(self, footnotes: Footnotes, answer_part: ChoiceTextPart) -> list[FootnoteMark]:
        """Convert to offsets in the answer, which may begin after inline reasoning."""
        text = answer_part.text if isinstance(answer_part.text, str) else ""
        inside = (mark for mark in footnotes.marks if mark.start >= answer_part.at)
        moved = [
            FootnoteMark(m.start - answer_part.at, m.end - answer_part.at, m.to, m.label)
            for m in inside
        ]
        return [*moved, *source_marks(self.sources, text)]

    def passage(
        self,
        choice: Choice,
        answer_part: ChoiceTextPart,
        shared: SharedPrefix | None = None,
        marks: Sequence[FootnoteMark] = (),
    ) -> TextPassage:
        span = span_of(choice, answer_part, self.provenance)
        place = text_lane_position(self.view, choice, answer_part)
        return text_passage(
            answer_part.kind, answer_part.text, span, shared, marks, self.most_folded(), place
        )

    def most_folded(self) -> int:
        return min(MAX_FOLDED_CHARACTERS, MAX_ON_PAGE // len(self.choices))

    def facts(self, choice: Choice, answer: TextPassage) -> Iterator[str]:
        if answer.length:
            yield plural(answer.length, "character")
        # How a lone choice arrived is how the response did, in the key figures.
        if self.provenance is not None and self.chosen is not None:
            yield from arrival_facts(choice, self.provenance)
        yield from stated_facts(choice)

    def refusal(self, choice: Choice) -> TextPassage | None:
        answer_part = ChoiceTextPart(LaneKind.REFUSAL, choice.refusal)
        return self.passage(choice, answer_part) if known(choice.refusal) else None

    def rendered(self, text: object) -> tuple[SafeString | None, str]:
        """Return the text as the mode shows it; None for a plain text, with a reason if it is not
        so.
        """
        if self.mode != "json" or not isinstance(text, str) or not text:
            return self.markdown_of(text)
        return render_json(text, self.schema, self.view)

    @cached_property
    def schema(self) -> Json:
        body = self.view.request_body
        return requested_schema(body) if body else None

    def markdown_of(self, text: object) -> tuple[SafeString | None, str]:
        if self.mode != "markdown" or not isinstance(text, str) or not text:
            return None, ""
        most = self.most_rendered()
        if len(text) > most:
            length = plural(len(text), "character")
            return None, f"Shown as text: {length} are more than the limit of {most:,}."
        return render_markdown(text), ""

    def most_rendered(self) -> int:
        """Markdown limit for one answer, lowered when there are many choices."""
        if sum(len(answer_text(choice)) for choice in self.choices) <= MAX_RENDERED:
            return MAX_CHARACTERS
        return min(MAX_CHARACTERS, MAX_RENDERED // len(self.choices))

    def speech_length(self, choice: Choice) -> int | None:
        """Length of the complete base64 if the displayed analysis holds only its head."""
        position = self.start + self.choices.index(choice)
        pointer = f"/choices/{position}/extras/{escape_step('/message/audio')}/data"
        return next((cut.length for cut in self.view.cuts if cut.pointer == pointer), None)


def unusual_role(choice: Choice, slug: str | None) -> str | None:
    """Return the role as sent if it is not the model's; "not sent" if chat completions lack it."""
    sent = choice.extras.get("/message/role", choice.role)
    dialect = dialects().get(slug or "")
    if sent is UNSET:
        is_chat = dialect is not None and family_of(dialect) == DEFAULT_FAMILY
        is_due = is_chat and dialect is not None and "role" in dialect.message_fields
        return wire_word(sent) if is_due else None
    return None if sent == (dialect.role if dialect else "assistant") else wire_word(sent)


def shared_prefix(divergence: Divergence | None) -> SharedPrefix | None:
    return SharedPrefix(divergence.shared, not divergence.same) if divergence else None


def span_of(
    choice: Choice, answer_part: ChoiceTextPart, provenance: Provenance | None
) -> ArrivalSpan | None:
    """Arrival of a text, known only if the text is a whole lane."""
    is_whole = answer_part.at == 0 and choice.inline_reasoning is None
    if provenance is None or not (is_whole or answer_part.kind is LaneKind.REASONING):
        return None
    return provenance.span(*provenance.lanes(choice.index, answer_part.kind))


def arrival_facts(choice: Choice, provenance: Provenance) -> Iterator[str]:
    if span := provenance.span(*provenance.lanes(choice.index)):
        yield f"in {plural(span.pieces, 'chunk')}"
        if (ended := provenance.ended_us(choice.index)) is not None:
            yield f"ended at {ended / 1_000_000:,.3f} s"


def stated_facts(choice: Choice) -> list[str]:
    """Format what the vendor states about a choice; null is shown, absent fields are skipped."""
    cost, duration = choice.cost_usd, choice.duration_seconds
    facts = []
    if cost is not UNSET:
        facts.append("cost null" if cost is None else f"{usd(cost)} stated")
    if duration is not UNSET:
        facts.append("duration null" if duration is None else f"{duration} s stated")
    return facts


def find_fork(first: Choice, other: Choice, provenance: Provenance | None) -> Fork | None:
    divergence = find_divergence([answer_text(first), answer_text(other)])
    if divergence is None:
        return None
    sides = [
        ForkSide(choice.index, word, event_at_fork(choice, divergence.shared, provenance))
        for choice, word in zip((first, other), divergence.words, strict=True)
    ]
    return Fork(divergence.same, divergence.shared, (sides[0], sides[1]))


def event_at_fork(choice: Choice, offset: int, provenance: Provenance | None) -> int | None:
    if provenance is None:
        return None
    whole, offset = str(full_answer(choice).text), answer_of(choice)[0].at + offset
    texts = block_texts(choice, BlockKind.TEXT)
    place = place_in_lane(texts, offset, length_u16(whole[:offset]))
    return provenance.event_of_character(*place) if place else None


PANEL = Panel(position=10, slug="choices", title="Choices", draw=draw)
