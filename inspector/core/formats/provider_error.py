"""Error objects sent in place of an answer, in the shapes of providers and gateways.

An answer of a format may have an error, too: only what no other dialect recognises is an error
alone.
"""

from collections.abc import Mapping

from inspector.core.completion import Json
from inspector.core.findings import shorten
from inspector.core.formats.dialect import Dialect, FieldsSeen

MESSAGE_FIELDS = frozenset({"message", "Message", "id", "__type", "code"})
"""Fields of an error that is a message alone, as Cohere and AWS send it."""
SHAPES = (
    frozenset({"error"}),
    frozenset({"detail"}),
    frozenset({"object", "message", "code"}),
)


def recognises(signs: FieldsSeen) -> bool:
    said = signs.top - signs.nulls
    return _is_message(signs) or any(shape <= said for shape in SHAPES)


def _is_message(signs: FieldsSeen) -> bool:
    """True if a text that is a message stands nearly alone."""
    return bool(signs.texts & {"message", "Message"}) and signs.top <= MESSAGE_FIELDS


DIALECT = Dialect(
    slug="provider-error",
    title="provider error",
    recognises=recognises,
    is_last_resort=True,
    object="error",
)


MAX_MESSAGE = 500
"""Characters of an error message that are quoted."""


def error_message(value: Json) -> str:
    """Extract the message of an error object of any shape, for use inside a sentence."""
    said = value
    if isinstance(value, Mapping):
        names = ("message", "Message", "detail", "title", "code", "type")
        said = next((value[name] for name in names if value.get(name)), None)
    elif not isinstance(value, str):
        said = None
    return "no message" if said is None else shorten(said, MAX_MESSAGE)
