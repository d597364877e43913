"""Rules about answers that events build from parts: how parts begin, grow and end."""

from collections.abc import Iterator

from inspector.core.findings import Severity, Where, shorten
from inspector.core.fold.anomalies import Anomaly
from inspector.core.rule_context import RuleContext
from inspector.core.rules.rule import Remark, rule, times

ANTHROPIC = frozenset({"anthropic"})
SEQUENTIAL = ANTHROPIC | {"bedrock-converse"}
RESPONSES = frozenset({"openai-responses"})
BEGINNINGS = {
    "anthropic": ("message_start", "content_block_delta"),
    "openai-responses": ("response.created", "response.output_text.delta"),
}
"""The event that begins a message of a format, and one that is a piece of it."""


@rule("block.several-answers", Severity.WARNING, when=Anomaly.SEVERAL_ANSWERS)
def several_answers(context: RuleContext) -> Iterator[Remark]:
    """One body has several answers, one after the other; each is shown as a choice.
    Clients end with the first message, or mix their blocks.
    """
    note = context.notes.first(Anomaly.SEVERAL_ANSWERS)
    if note is not None:
        count = context.notes.count(Anomaly.SEVERAL_ANSWERS) + 1
        counted = "the last usage is that of the response"
        yield f"The body has {count:,} answers; each is shown as a choice, {counted}.", note.where


@rule("block.repeated", Severity.WARNING, when=Anomaly.BLOCK_REPEATED)
def repeated(context: RuleContext) -> Iterator[Remark]:
    """A block begins at a position where another one began before.
    Clients that keep blocks by their position lose the first one.
    """
    for note, count in context.notes.by_subject(Anomaly.BLOCK_REPEATED):
        yield f"Block {note.subject} began twice{times(count)}.", note.where


@rule("block.piece-unknown", Severity.INFO, when=Anomaly.PIECE_UNKNOWN)
def piece_unknown(context: RuleContext) -> Iterator[Remark]:
    """A piece of a block is of a type that its format does not document; its fields are kept.
    Clients with a closed list of types fail.
    """
    for note, _ in context.notes.by_subject(Anomaly.PIECE_UNKNOWN):
        yield f"A piece is of an unknown type: {shorten(note.subject)}.", note.where


@rule("block.start-repeated", Severity.WARNING, when=Anomaly.START_REPEATED)
def start_repeated(context: RuleContext) -> Iterator[Remark]:
    """A block begins with a text or with arguments that its first pieces say again; it counts once.
    Clients that add the pieces to what the block began with show it twice.
    """
    for note, count in context.notes.by_subject(Anomaly.START_REPEATED):
        message = f"The pieces of a block repeat the {note.subject} that it began with"
        yield f"{message}: {note.detail}{times(count)}.", note.where


@rule("block.message-not-begun", Severity.WARNING, formats=frozenset(BEGINNINGS))
def message_not_begun(context: RuleContext) -> Iterator[Remark]:
    """No event begins the message (message_start, response.created).
    Clients that build the message on it fail at the first event.
    """
    slug = context.dialect.slug if context.dialect else ""
    first, pieces = BEGINNINGS.get(slug, ("", ""))
    types = context.signs.types
    if context.streamed and first not in types and pieces in types:
        yield f"The stream has no {first}.", Where(event=0)


@rule("block.not-begun", Severity.WARNING, when=Anomaly.BLOCK_NOT_BEGUN)
def not_begun(context: RuleContext) -> Iterator[Remark]:
    """A piece came for a block that no event began. If it states a kind, the block gets it.
    Clients that look the block up by its position fail.
    """
    for note, count in context.notes.by_subject(Anomaly.BLOCK_NOT_BEGUN):
        yield f"A piece came for block {note.subject}, which never began{times(count)}.", note.where


@rule("block.after-stop", Severity.WARNING, when=Anomaly.BLOCK_AFTER_STOP)
def after_stop(context: RuleContext) -> Iterator[Remark]:
    """A piece came for a block that had ended; it is added to the block.
    Clients that take a block as whole when it ends lose the piece.
    """
    for note, count in context.notes.by_subject(Anomaly.BLOCK_AFTER_STOP):
        yield f"A piece of {note.subject} came after its block had ended{times(count)}.", note.where


@rule("block.still-open", Severity.WARNING, formats=SEQUENTIAL, when=Anomaly.BLOCKS_OPEN)
def still_open(context: RuleContext) -> Iterator[Remark]:
    """A block began while another was still open; in this format they follow each other.
    Clients that keep one current block mix the pieces of both.
    """
    note = context.notes.first(Anomaly.BLOCKS_OPEN)
    if note is not None:
        count = context.notes.count(Anomaly.BLOCKS_OPEN)
        yield f"Two blocks were open at once: {note.detail}{times(count)}.", note.where


@rule("block.not-stopped", Severity.WARNING, formats=ANTHROPIC, at_end=True)
def not_stopped(context: RuleContext) -> Iterator[Remark]:
    """The message ended, but a block of it did not.
    Clients that take a block as whole when it ends never run its call or show its text.
    """
    if not context.streamed or "message_stop" not in context.signs.types:
        return
    blocks = [block for choice in context.choices for block in choice.blocks]
    began = [block for block in blocks if len(block.places) == 1]
    if began:
        yield (
            f"A block of type {began[0].type} did not end before the message{times(len(began))}.",
            Where(event=began[0].places[0].event, pointer="/index"),
        )


@rule("block.whole-lacks", Severity.WARNING, when=Anomaly.WHOLE_LACKS)
def whole_lacks(context: RuleContext) -> Iterator[Remark]:
    """A list that is sent whole once more has fewer items than came before; what came stays.
    Clients that take the whole object get an answer without them, or an empty one.
    """
    for note, count in context.notes.by_subject(Anomaly.WHOLE_LACKS):
        name, _, first = note.subject.partition(" ")
        message = f"{name} sent whole has {note.detail} items that came. It lacks {first}"
        yield f"{message}{times(count)}.", note.where


@rule("block.whole-differs", Severity.WARNING, when=Anomaly.DONE_DIFFERS)
def whole_differs(context: RuleContext) -> Iterator[Remark]:
    """A part that is sent whole once more differs from its pieces; the pieces are shown.
    Clients show one text while it streams and another when it is whole.
    """
    for note, count in context.notes.by_subject(Anomaly.DONE_DIFFERS):
        message = f"{note.subject} sent whole differs from its pieces: {note.detail}{times(count)}."
        yield message, note.where


@rule("block.position-malformed", Severity.WARNING, when=Anomaly.BAD_POSITION)
def position_malformed(context: RuleContext) -> Iterator[Remark]:
    """An event has no position of its part, or one that is not a whole number of 0 or more.
    Clients fail, or add what it says to another part; it is read as belonging to the last one.
    """
    for note, count in context.notes.by_subject(Anomaly.BAD_POSITION):
        yield (
            f"{note.subject} is missing or not a whole number of 0 or more{times(count)}.",
            note.where,
        )


@rule("block.id-differs", Severity.WARNING, formats=RESPONSES, when=Anomaly.ITEM_ID_DIFFERS)
def id_differs(context: RuleContext) -> Iterator[Remark]:
    """An event names an item by another id than the one it began by; its position holds.
    Clients that look the item up by its id fail, or lose its text.
    """
    note = context.notes.first(Anomaly.ITEM_ID_DIFFERS)
    if note is not None:
        count = times(context.notes.count(Anomaly.ITEM_ID_DIFFERS))
        yield f"The id of an item changes between its events: {note.detail}{count}.", note.where


@rule("block.position-differs", Severity.WARNING, formats=RESPONSES, when=Anomaly.POSITION_DIFFERS)
def position_differs(context: RuleContext) -> Iterator[Remark]:
    """An event names an item by its id and states the position of another; the id holds.
    Clients that look the item up by its position add what it says to another one.
    """
    note = context.notes.first(Anomaly.POSITION_DIFFERS)
    if note is not None:
        count = times(context.notes.count(Anomaly.POSITION_DIFFERS))
        yield f"{note.detail}{count}.", note.where


@rule("block.stands-elsewhere", Severity.INFO, formats=RESPONSES, when=Anomaly.STANDS_ELSEWHERE)
def stands_elsewhere(context: RuleContext) -> Iterator[Remark]:
    """The whole list has an item at another position than its events state.
    Clients that keep items by their position fail, or have an empty one before it.
    """
    for note, count in context.notes.by_subject(Anomaly.STANDS_ELSEWHERE):
        yield f"{note.detail}{times(count)}.", note.where


@rule("block.sequence-gap", Severity.WARNING, formats=RESPONSES, when=Anomaly.SEQUENCE_GAP)
def sequence_gap(context: RuleContext) -> Iterator[Remark]:
    """The sequence number of an event is not one more than that of the event before.
    An event was lost, repeated or moved on its way, and with it perhaps a piece of text.
    """
    note = context.notes.first(Anomaly.SEQUENCE_GAP)
    if note is not None:
        count = times(context.notes.count(Anomaly.SEQUENCE_GAP))
        yield f"The sequence number jumps: {note.detail}{count}.", note.where
