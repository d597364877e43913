"""Finish reasons that a format writes as numbers, with their names."""

from inspector.core.completion import is_index
from inspector.core.formats import dialects
from inspector.core.json import Json
from inspector.formatting.wire_values import finish_word


def finish_name(slug: str | None, reason: Json) -> Json:
    """Return the name of a reason if its format knows its number, else the reason itself."""
    dialect = dialects().get(slug or "")
    numbers = dialect.finish_numbers if dialect else {}
    return numbers.get(reason, reason) if is_index(reason) else reason


def finish_with_number(name: Json, sent: Json) -> str:
    """``STOP``, or ``STOP, sent as 1``."""
    same = name == sent and name.__class__ is sent.__class__
    return finish_word(sent) if same else f"{finish_word(name)}, sent as {finish_word(sent)}"
