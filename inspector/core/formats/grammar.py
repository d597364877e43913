"""The grammar of a wire format: one table from the paths of its objects to what stands there.

A key of the table is a path pattern, its value an effect. A pattern is written like a JSON Pointer
into the object of one event (or into the whole body): ``*`` is any position of a list, ``?`` any
name that has no pattern of its own, and "" the object itself. A more exact step also has what ``?``
has.

Events of some formats have types and build the answer: what stands in them has a key with their
type, ``At("content_block_delta", "/delta/text")``, and its effect names a place of the answer
(``at``). Patterns alone describe the answer itself, so that a whole body and the answer that a
stream built are read by the same lines.

An effect names what the value is to the answer. It is data; the fold gives it its meaning
(``fold/handlers``), the same for all formats.
"""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from inspector.core.completion import BlockKind
from inspector.core.tape import LaneKind


class Effect(msgspec.Struct, frozen=True):
    """The meaning of a value for the answer."""


# -- the answer -----------------------------------------------------------------------------------


class Chunk(Effect, frozen=True):
    """An object with the answer's own fields beside its choices, repeated in every event."""


class TypedEvent(Effect, frozen=True):
    """An event that builds the answer, or the answer itself if no pattern knows the event's type.

    ``member`` names the type; of an object without it the framing's name of the event is the type,
    if a pattern knows that. "": only the framing names types, or the event stands in a member that
    has the name of its type, as clients write it down.

    ``answers`` are types that the answer itself has in the same member: such an object is read by
    the patterns without a type. ``closing`` are types of events behind which only events of the
    types in ``idle``, which say nothing, may come; others are noted. Whether a stream was closed at
    all, ``Dialect.closing_of`` says once all is read.

    ``numbered`` is a position of which events tell the id of the item, too: as ``item_id``, or in
    the item itself, ``item``.
    """

    member: str = "type"
    answers: frozenset[str] = frozenset()
    closing: frozenset[str] = frozenset()
    idle: frozenset[str] = frozenset()
    numbered: str = ""
    item_id: str = ""
    item: str = ""


class PartialAnswer(Effect, frozen=True):
    """The answer or a part of that shape, perhaps wrapped; ``is_choice``: its only choice."""

    is_choice: bool = False


class AnswerField(Effect, frozen=True):
    """A field of the answer that is kept as it was sent, objects merged name by name."""


class IdentityField(Effect, frozen=True):
    """A field of the answer that should never change: the first value that says something holds.
    ``means`` is the name of the field of which this is another spelling.
    """

    means: str = ""


class ObjectLabel(Effect, frozen=True):
    """A field of the answer that names the kind of object (``object``). It is one of the signs by
    which formats are recognised (``FieldsSeen.objects``), and kept.
    """


class TypeLabel(Effect, frozen=True):
    """A field of a whole answer that names its type (``type``), as events name theirs. It is one of
    the signs by which formats are recognised (``FieldsSeen.types``), and kept.
    """


class OutcomeLabel(Effect, frozen=True):
    """The outcome of one request of a batch. Only beside ``answered`` there is an answer; of each
    in ``unsaid`` nothing else is said than that there is none.
    """

    answered: str
    unsaid: frozenset[str]


class ProviderTime(Effect, frozen=True):
    """A field of the answer with times by the provider's own clock."""


class Padding(Effect, frozen=True):
    """Random text that hides the length of an event. No whole answer has it."""


class ErrorObject(Effect, frozen=True):
    """An error. ``within``: only inside a member whose name begins so. ``is_event``: it is what an
    event says, and no field of the answer; of an event that is the error itself, its member
    ``error`` is taken if it has one.
    """

    within: str = ""
    is_event: bool = False


class UsageCounts(Effect, frozen=True):
    """Token counts, of which the last object holds."""


class UsageMember(Effect, frozen=True):
    """One of the token counts that stand beside the other fields of the answer."""


class MergedUsage(Effect, frozen=True):
    """Token counts of which each holds until it is sent again; a null erases none. ``preliminary``:
    counts that the event with which an answer begins cannot know; another has to state them.
    """

    preliminary: frozenset[str] = frozenset()


class UsageElsewhere(Effect, frozen=True):
    """Token counts at a place of a vendor's own, which hold if there are none elsewhere.

    ``sign`` is a name without which an object is none.
    """

    sign: str


# -- choices and messages -------------------------------------------------------------------------


class ChoiceList(Effect, frozen=True):
    """The list of choices. It is taken after all fields beside it.

    ``beside`` are fields that stand in every chunk if they stand in one.
    """

    beside: tuple[str, ...] = ()


class ChoiceItem(Effect, frozen=True):
    """One choice, or a piece of it. ``index`` names the member with its number."""

    index: str


class ChoiceField(Effect, frozen=True):
    """Any other field of a choice."""


class GrowingChoiceField(Effect, frozen=True):
    """A field of a choice that comes in pieces."""


class DecimalText(Effect, frozen=True):
    """A number on a choice that is kept as it was spelt, because it is money or a time."""


class FinishReason(Effect, frozen=True):
    """Why a choice ended. ``numbers`` are the names of reasons that were sent as numbers."""

    numbers: Mapping[int, str] = {}


class ChoiceUsage(Effect, frozen=True):
    """Token counts on a choice."""


class ChoiceError(Effect, frozen=True):
    """An error on a choice."""


class Message(Effect, frozen=True):
    """A piece of a choice's message. In a whole answer it yields to ``whole`` beside it."""

    whole: str


class WholeMessage(Effect, frozen=True):
    """The message of a whole answer. In a stream it yields to the piece beside it, ``piece``."""

    piece: str


class MessageRole(Effect, frozen=True):
    """The role of the message's author."""


class GrowText(Effect, frozen=True):
    """A text that grows. As a list it consists of parts, each with its own effect."""

    lane: LaneKind


class LegacyText(Effect, frozen=True):
    """The text of a choice without message. Beside one of ``unless`` it is an ordinary field."""

    unless: tuple[str, ...] = ()


class TextPart(Effect, frozen=True):
    """A part of a text that was sent as a list: text, or thinking inside it."""


class MessageField(Effect, frozen=True):
    """Any other field of a message. ``is_list``: every document says that it is a list."""

    is_list: bool = False


# -- answers that events build --------------------------------------------------------------------


class AtPlace(Effect, frozen=True):
    """The effect of an event at a place of the answer. In ``at``, ``{name}`` is the position that
    the event states in its member of that name.
    """

    at: str


class Put(AtPlace, frozen=True):
    """A part of the answer. ``begins``: the answer itself, which begins with it."""

    begins: bool = False


class Grow(AtPlace, frozen=True):
    """A piece of a text. ``is_json``: the text spells a JSON value. ``kind`` and ``type``: those of
    its block, if the event that begins the block did not come; without a kind, the piece is noted
    and kept, but in no block. ``begins``: no event does, the first piece begins its block.
    """

    kind: BlockKind | None = None
    type: str = ""
    is_json: bool = False
    begins: bool = False


class Add(AtPlace, frozen=True):
    """One more item of a list."""


class Extend(AtPlace, frozen=True):
    """More items of a list."""


class Complete(AtPlace, frozen=True):
    """A part of the answer that was sent in pieces before, now whole."""


class Close(AtPlace, frozen=True):
    """The end of a part: nothing is added to it after this."""


class SequenceNumber(Effect, frozen=True):
    """The number of an event, one more than that of the event before."""


class EventField(Effect, frozen=True):
    """A field of an event that belongs to no place of the answer."""


class PieceField(Effect, frozen=True):
    """Such a field of a piece. A piece with no other fields is of a type that is not known."""


class ChunkTime(Effect, frozen=True):
    """When the provider made this event; of the answer it is the last."""


# -- messages made of blocks ----------------------------------------------------------------------


class BlockList(Effect, frozen=True):
    """The list of a message's parts."""


class BlockItem(Effect, frozen=True):
    """A part of a message, whose kind its type decides.

    ``label`` is the member that names the type; "" if the type is the name of a member, the first
    in ``kinds`` that the part has. ``kinds`` has the kind of each type: None if the part only holds
    other parts. Types that it does not have are ``other``. ``unnamed``: types of calls that the
    client must act on and that name no tool. ``custom``: types of calls whose input is free text.
    ``hosted``: ``type`` of a call, in the member that names it, which the provider runs itself.
    ``client``: types of calls that the client must act on where a member has a certain value.
    """

    kinds: Mapping[str, BlockKind | None]
    other: BlockKind = BlockKind.HOSTED
    unnamed: frozenset[str] = frozenset()
    custom: frozenset[str] = frozenset()
    label: str = "type"
    hosted: str = ""
    client: Mapping[str, tuple[str, str]] = {}


class BlockPart(Effect, frozen=True):
    """A part of a message, whose kind is that of the first member in ``kinds`` that it has.

    Text goes on with the text before it. ``thought`` is a member that makes text reasoning.
    ``media``: a part with one of these members is an image or audio by its MIME type.
    """

    kinds: Mapping[str, BlockKind]
    thought: str = ""
    media: tuple[str, ...] = ()


class FieldBlock(Effect, frozen=True):
    """A text in a field of its own, which is a block of a message without list."""

    kind: BlockKind


class MediaBlock(Effect, frozen=True):
    """An image or audio as text (base64), which is a block of its own."""

    kind: BlockKind


class PartText(Effect, frozen=True):
    """The text of a block."""


class BlockField(Effect, frozen=True):
    """Any other field of a block."""


class CitationList(Effect, frozen=True):
    """The sources of a block's text."""


class MessageCitations(Effect, frozen=True):
    """The sources of all texts of a message. ``index`` is the member with the position of the part
    that a source is about. ``fields``: sources whose ``label`` is one of these are about the text
    of that field.
    """

    index: str
    label: str
    fields: Mapping[str, str] = {}


class BlockObject(Effect, frozen=True):
    """An object around blocks, or inside one."""


class PartialCall(Effect, frozen=True):
    """An object that is a call, or a part of one. ``goes_on``: member that says that more follows;
    ``pieces``: member with a list of values of its arguments, each with its path.
    """

    goes_on: str
    pieces: str


class Candidate(Effect, frozen=True):
    """A choice or a part of one. ``index`` names the member with its number; without, the first."""

    index: str


class CandidateField(Effect, frozen=True):
    """Any other field of a candidate: the last value is kept, objects merged name by name. Lists
    named in ``joined`` grow by the items that they do not have yet.
    """

    joined: tuple[str, ...] = ()


class CandidateLogprobs(Effect, frozen=True):
    """Tokens with log probabilities: one list has the chosen, another each step's likeliest."""


class TokenLogprobs(Effect, frozen=True):
    """A list of tokens, each with its log probability and alternatives."""


class TextLogprobs(Effect, frozen=True):
    """A text with the log probabilities of its tokens, or a list of such texts. ``text`` and
    ``values`` are the members that hold them.
    """

    text: str
    values: str


class CallId(Effect, frozen=True):
    """The id that the client states when it returns the result of the call."""


class BlockName(Effect, frozen=True):
    """The name of the tool that a block calls."""


class BlockArguments(Effect, frozen=True):
    """The arguments of a block's call: a JSON value, or a text that spells one. ``is_object``: the
    format promises an object.
    """

    is_object: bool = False


class FinishStatus(Effect, frozen=True):
    """Why the answer ended, as its state. ``pending``: states of an answer that is not there yet.
    ``reason``: path of a member beside it that says more.
    """

    pending: frozenset[str]
    reason: tuple[str, ...] = ()


class TierField(Effect, frozen=True):
    """The service tier that was used."""


# -- calls ----------------------------------------------------------------------------------------


class CallList(Effect, frozen=True):
    """The list of a message's tool calls."""


class CallItem(Effect, frozen=True):
    """One tool call, or a piece of it. ``bodies`` are the members that hold name and arguments."""

    index: str
    bodies: tuple[str, ...]


class LegacyCall(Effect, frozen=True):
    """The deprecated function call of a message."""


class Key(Effect, frozen=True):
    """A member by which the choice or call around it was found already."""


class CallField(Effect, frozen=True):
    """A field of a call beside its body. Of ids the last holds, of others the first."""


class CallBody(Effect, frozen=True):
    """The member of a call that holds its name and arguments."""

    is_custom: bool = False


class CallName(Effect, frozen=True):
    """The name of the function that is called."""


class CallBodyField(Effect, frozen=True):
    """Any other field of a call's body."""


class GrowArguments(Effect, frozen=True):
    """Arguments: JSON as text, in pieces."""


class GrowInput(Effect, frozen=True):
    """The input of a custom tool: free text, in pieces."""


class At(NamedTuple):
    """A path pattern in events of one type; ``*`` for all types."""

    event: str
    path: str


Table = Mapping[str | At, Effect]


def under(prefix: str, table: Table) -> Table:
    """Return the patterns of an answer at a place inside another object."""
    paths = ((at, effect) for at, effect in table.items() if isinstance(at, str))
    return {f"{prefix}{path}": effect for path, effect in paths}
