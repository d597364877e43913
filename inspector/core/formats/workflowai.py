"""WorkflowAI's chat completions (its reference): cost, duration, and a feedback token per choice.

In a stream these fields and the usage stand on the choice of the last chunk, ``created`` is the
wall clock of each chunk, and nothing marks the end. With ``valid_json_chunks`` every delta is the
whole valid JSON so far: a snapshot, not an increment.
"""

from collections.abc import Sequence

from inspector.core.formats import openai_chat
from inspector.core.formats.dialect import Dialect, EndMark, FieldsSeen
from inspector.core.formats.grammar import ChoiceUsage, DecimalText
from inspector.core.json.parser import parse_json

OWN_FIELDS = frozenset({"feedback_token", "cost_usd", "duration_seconds"})


def recognises(signs: FieldsSeen) -> bool:
    return bool(OWN_FIELDS & signs.choice) and openai_chat.recognises(signs)


def is_snapshot(pieces: Sequence[str]) -> bool:
    """Return True if all pieces are JSON. Increments hardly ever are; snapshots always are."""
    said = [piece for piece in pieces if piece]
    if len(said) < 2 or any(piece[0] not in "{[" for piece in said):
        return False
    return all(parse_json(piece.encode(errors="replace")).fatal is None for piece in said)


DIALECT = Dialect(
    slug="workflowai",
    title="WorkflowAI chat completion",
    base="openai-chat",
    table={
        "/choices/*/usage": ChoiceUsage(),
        "/choices/*/cost_usd": DecimalText(),
        "/choices/*/duration_seconds": DecimalText(),
    },
    recognises=recognises,
    documents=("000",),
    object="chat.completion",
    chunk_object="chat.completion.chunk",
    end_mark=EndMark.NONE,
    finish_reasons=openai_chat.DIALECT.finish_reasons,
    is_snapshot=is_snapshot,
    top_fields=openai_chat.DIALECT.top_fields | {"version_id", "metadata"},
    choice_fields=openai_chat.DIALECT.choice_fields | OWN_FIELDS | {"usage", "url"},
    message_fields=openai_chat.DIALECT.message_fields,
)
