"""The grammar of a wire format: one table from the paths of its objects to what stands there.

A key of the table is a path pattern, its value an effect. A pattern is written like a JSON Pointer
into the object of one event (or into the whole body): ``*`` is any position of a list, ``?`` any
name that has no pattern of its own, and "" the object itself. A more exact step also has what ``?``
has. In a format whose events have types, the pattern follows the type: ``content_block_delta
/delta/text``.

An effect names what the value is to the answer. It is data; the fold gives it its meaning
(``fold/handlers``), the same for all formats.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from inspector.core.tape import LaneKind


class Effect(msgspec.Struct, frozen=True):
    """What a value is to the answer."""


# -- the answer -----------------------------------------------------------------------------------


class Chunk(Effect, frozen=True):
    """An object with the answer's own fields beside its choices, repeated in every event."""


class AnswerField(Effect, frozen=True):
    """A field of the answer that is kept as it was sent, objects merged name by name."""


class IdentityField(Effect, frozen=True):
    """A field of the answer that should never change: the first value that says something holds."""


class ObjectLabel(Effect, frozen=True):
    """The name of the kind of object (``object``), by which formats are recognised."""


class TypeLabel(Effect, frozen=True):
    """The name of the kind of event (``type``), by which formats are recognised."""


class ProviderTime(Effect, frozen=True):
    """A field of the answer with times by the provider's own clock."""


class Padding(Effect, frozen=True):
    """Random text that hides the length of an event. No whole answer has it."""


class ErrorObject(Effect, frozen=True):
    """An error. ``within``: only inside a member whose name begins so."""

    within: str = ""


class UsageCounts(Effect, frozen=True):
    """Token counts, of which the last object holds."""


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
    """Why a choice ended."""


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
    """Who speaks."""


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


Table = Mapping[str, Effect]


def under(prefix: str, table: Table) -> dict[str, Effect]:
    """The same table at a place inside another object."""
    return {f"{prefix}{pattern}": effect for pattern, effect in table.items()}
