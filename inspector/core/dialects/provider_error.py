"""An error object in place of an answer, in the shapes that providers and gateways send."""

from inspector.core.dialects.dialect import Dialect, Signs

ANSWER_FIELDS = frozenset({"choices", "candidates", "output", "done", "usageMetadata"})
SHAPES = (
    frozenset({"error"}),
    frozenset({"detail"}),
    frozenset({"object", "message", "code"}),
)


def recognises(signs: Signs) -> bool:
    if ANSWER_FIELDS & signs.top or "response" in signs.objects:
        return False
    if any(kind.startswith(("response.", "message_", "content_block")) for kind in signs.types):
        return False
    return any(shape <= signs.top for shape in SHAPES)


DIALECT = Dialect(
    slug="provider-error",
    title="provider error",
    recognises=recognises,
    object="error",
)
