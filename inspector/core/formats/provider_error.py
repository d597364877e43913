"""Error objects sent in place of an answer, in the shapes of providers and gateways."""

from collections.abc import Mapping

from inspector.core.completion import Json
from inspector.core.findings import shorten
from inspector.core.formats.dialect import Dialect, FieldsSeen

ANSWER_FIELDS = frozenset({"choices", "candidates", "output", "done", "usageMetadata"})
SHAPES = (
    frozenset({"error"}),
    frozenset({"detail"}),
    frozenset({"object", "message", "code"}),
)


def recognises(signs: FieldsSeen) -> bool:
    if ANSWER_FIELDS & signs.top or "response" in signs.objects:
        return False
    if any(kind.startswith(("response.", "message_", "content_block")) for kind in signs.types):
        return False
    return any(shape <= signs.top for shape in SHAPES)


DIALECT = Dialect(
    slug="provider-error",
    title="provider error",
    recognises=recognises,
    family="openai-chat",
    object="error",
)


MAX_MESSAGE = 500
"""Characters of an error message that are quoted."""


def error_message(value: Json) -> str:
    """Extract the message of an error object of any shape, for use inside a sentence."""
    said = value
    if isinstance(value, Mapping):
        names = ("message", "detail", "title", "code", "type")
        said = next((value[name] for name in names if value.get(name)), None)
    elif not isinstance(value, str):
        said = None
    return "no message" if said is None else shorten(said, MAX_MESSAGE)
