"""The blocks of a message in their order, for a message that is more than one text of each kind."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from django.utils.safestring import SafeString

from inspector.core.completion import Block, BlockKind, Choice, known
from inspector.core.json.pointer import pointer_to
from inspector.core.media.audio import MessageAudio, audio_of_block
from inspector.core.media.part_media import texts_in
from inspector.core.tape import LaneKind
from inspector.dashboard.capture.choices.citations import (
    CitationNumbers,
    block_citations,
    text_citations,
    unlisted_members,
)
from inspector.dashboard.capture.choices.footnotes import Footnotes
from inspector.dashboard.capture.choices.media import ImageDisplay, LengthOf, image_display
from inspector.dashboard.capture.choices.parts import (
    PartDisplay,
    PartMember,
    members_beside_text,
    part_display,
    part_member,
)
from inspector.dashboard.capture.choices.passages import (
    FootnoteMark,
    SharedPrefix,
    TextPassage,
    text_passage,
)
from inspector.dashboard.capture.choices.speech import SpeechDisplay, audio_display
from inspector.dashboard.capture.page.block_order import block_id
from inspector.dashboard.capture.page.block_texts import BlockText, block_texts
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.lane_position import LanePosition
from inspector.dashboard.capture.page.provenance import ArrivalSpan
from inspector.dashboard.capture.tool_calls.call_text import CallTextDisplay, call_text_display
from inspector.dashboard.text.folded_text import TextFolder
from inspector.formatting.lanes import TEXT_KINDS

MAX_BLOCKS = 200
"""Blocks drawn, over all choices of the page; of each choice at least ``MIN_BLOCKS``."""
MIN_BLOCKS = 20
Rendered = tuple[SafeString | None, str]
"""Markdown, or why there is none."""


@dataclass(frozen=True, slots=True)
class BlockDisplay:
    """One block. Of the fields at its end those are set that its kind has."""

    choice: int
    position: int
    kind: BlockKind
    name: str
    """``text 2`` if there are several of the kind; empty otherwise."""
    passage: TextPassage | None = None
    text: str = ""
    rendered: SafeString | None = None
    unrendered: str = ""
    call: CallTextDisplay | None = None
    call_key: str = ""
    part: PartDisplay | None = None
    image: ImageDisplay | None = None
    speech: SpeechDisplay | None = None
    notes: Footnotes = Footnotes()
    members: tuple[PartMember, ...] = ()
    """Members that a text or a list of citations comes with, such as a signature."""

    @property
    def id(self) -> str:
        return block_id(self.choice, self.position)

    @property
    def can_copy(self) -> bool:
        """True if the whole text is on the page as text."""
        text = self.passage
        return text is not None and not text.rest_length and self.rendered is None


@dataclass(frozen=True, slots=True)
class TextOptions:
    """How the texts of a choice are drawn."""

    shared: SharedPrefix | None
    marks: Sequence[FootnoteMark]
    """Marks in the text of all text blocks."""
    most_folded: int
    render: Callable[[str], Rendered]
    notes_before: int
    most_blocks: int


@dataclass(frozen=True, slots=True)
class BlockRenderer:
    """Builds the blocks of one choice. ``pointer`` leads to the choice in the analysis."""

    view: CaptureView
    choice: Choice
    pointer: str
    options: TextOptions
    folder: TextFolder

    def build(self) -> tuple[BlockDisplay, ...]:
        every = (each for kind in TEXT_KINDS for each in block_texts(self.choice, kind))
        texts = {each.position: each for each in every}
        names = dict(block_names(self.choice))
        notes_before, found = self.options.notes_before, list[BlockDisplay]()
        for position, block in enumerate(self.choice.blocks[: self.options.most_blocks]):
            shown = BlockDisplay(self.choice.index, position, block.kind, names.get(position, ""))
            numbers = CitationNumbers(self.choice.index, notes_before)
            found.append(self.drawn(shown, block, texts.get(position), numbers))
            notes_before += len(found[-1].notes.notes)
        return tuple(found)

    def drawn(
        self, shown: BlockDisplay, block: Block, text: BlockText | None, numbers: CitationNumbers
    ) -> BlockDisplay:
        if text is not None:
            return self.text(shown, text, numbers)
        if block.kind is BlockKind.CITATION:
            return self.citation(shown, block, numbers)
        if block.kind is BlockKind.IMAGE:
            return replace(shown, image=image_display(block.value, self.length_in(shown.position)))
        if (audio := audio_of_block(block)) is not None:
            return replace(shown, speech=self.speech(shown.position, block, audio))
        call = self.call(block)
        if call is not None:
            key = "f" if block.tool_call is None else block.tool_call
            return replace(shown, call=call, call_key=f"{shown.choice}-{key}")
        return replace(shown, part=part_display(block, self.folder))

    def text(self, shown: BlockDisplay, text: BlockText, numbers: CitationNumbers) -> BlockDisplay:
        is_answer = shown.kind is BlockKind.TEXT
        notes = text_citations(text.block.citations, numbers, text.text, self.folder)
        marks = [*notes.marks, *marks_within(self.options.marks if is_answer else (), text)]
        rendered, unrendered = self.options.render(text.text) if is_answer else (None, "")
        beside = members_beside_text(text.block).items()
        members = tuple(part_member(name, value, self.folder) for name, value in beside)
        shown = replace(
            shown,
            text=text.text,
            rendered=rendered,
            unrendered=unrendered,
            notes=notes,
            members=members,
        )
        passage = text_passage(
            lane_kind(self.choice, shown.kind),
            text.text,
            self.span(text),
            shared_within(self.options.shared, text) if is_answer else None,
            marks,
            self.options.most_folded,
            self.place(shown, text),
            f"block-{shown.position}",
        )
        if passage.absent and known(text.block.value):
            passage = replace(passage, absent="sent without text")
        return replace(shown, passage=passage)

    def span(self, text: BlockText) -> ArrivalSpan | None:
        """Arrival of the text, known only if it is a whole lane."""
        lane, provenance = text.block.lane, self.view.provenance
        is_shared = sum(block.lane == lane for block in self.choice.blocks) > 1
        return None if provenance is None or lane is None or is_shared else provenance.span(lane)

    def place(self, shown: BlockDisplay, text: BlockText) -> LanePosition | None:
        lane, tape = text.block.lane, self.view.tape
        if tape is None or lane is None or text.lane_start_u16 is None or not text.text:
            return None
        start_u16 = tape.text_start_u16(lane) + text.lane_start_u16
        name = shown.name or str(shown.kind)
        return LanePosition(lane, start_u16, f"{name} of choice {shown.choice}")

    def citation(self, shown: BlockDisplay, block: Block, numbers: CitationNumbers) -> BlockDisplay:
        beside = unlisted_members(block).items()
        members = tuple(part_member(name, value, self.folder) for name, value in beside)
        notes = block_citations(block, numbers, self.folder)
        return replace(shown, notes=notes, members=members)

    def call(self, block: Block) -> CallTextDisplay | None:
        """Return the call of the client; None if the part names no tool."""
        if block.kind is not BlockKind.TOOL_CALL:
            return None
        calls, position = self.choice.tool_calls, block.tool_call
        legacy = None if known(block.value) else self.choice.function_call
        found = legacy if position is None else calls[position] if position < len(calls) else None
        return None if found is None else call_text_display(found)

    def speech(self, position: int, block: Block, audio: MessageAudio) -> SpeechDisplay:
        length_of = self.length_in(position)
        lengths = (length_of(pointer_to(path)) for path, _ in texts_in(block.value))
        return audio_display(audio, next((length for length in lengths if length), None))

    def length_in(self, position: int) -> LengthOf:
        """Look up the whole lengths of values that the analysis holds in part."""
        before = f"{self.pointer}/blocks/{position}/value"
        lengths = {cut.pointer: cut.length for cut in self.view.cuts}
        return lambda pointer: lengths.get(before + pointer)


def lane_kind(choice: Choice, kind: BlockKind) -> LaneKind:
    if kind is BlockKind.TEXT:
        return LaneKind.TEXT if known(choice.text) else LaneKind.CONTENT
    return LaneKind.REASONING if kind is BlockKind.REASONING else LaneKind.REFUSAL


def block_names(choice: Choice) -> Iterator[tuple[int, str]]:
    """Position and name of the blocks of each kind of text that comes several times."""
    for kind in TEXT_KINDS:
        positions = [at for at, block in enumerate(choice.blocks) if block.kind is kind]
        if len(positions) > 1:
            yield from ((at, f"{kind} {number}") for number, at in enumerate(positions, start=1))


def shared_within(shared: SharedPrefix | None, text: BlockText) -> SharedPrefix | None:
    """Return the part of the common start that lies in one block, and whether it ends there."""
    if shared is None:
        return None
    length = min(max(shared.length - text.begin, 0), len(text.text))
    forks = shared.forks and text.begin <= shared.length < text.end
    return SharedPrefix(length, forks)


def marks_within(marks: Iterable[FootnoteMark], text: BlockText) -> Iterator[FootnoteMark]:
    """Yield the marks that lie in one block, with offsets in it."""
    for mark in marks:
        if text.begin <= mark.start and mark.end <= text.end:
            start, end = mark.start - text.begin, mark.end - text.begin
            yield FootnoteMark(start, end, mark.to, mark.label)
