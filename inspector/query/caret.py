"""Which word of a query the caret is in, and what of it is written so far."""

import re
from dataclasses import dataclass

from inspector.query.tree import Operator

# As in 'model:"gpt 4"'.
_TOKEN = re.compile(r'(?:"(?:[^"\\]|\\.)*+"?|[^\s()"])+', re.DOTALL)
# As in "cost:>=".
_TERM = re.compile(r"([^\W\d][\w.\-]*+)(:(?:>=|<=|>|<)?|>=|<=|>|<)")


@dataclass(frozen=True, slots=True)
class CaretWord:
    """``start`` and ``end`` are of the whole term without a minus; ``value_start`` and
    ``value_end`` of the value that the caret is in.
    """

    start: int
    end: int
    typed: str
    """Text before the caret: of a name, or of a value."""
    field: str = ""
    """Empty where no operator is written yet."""
    operator: Operator | None = None
    value_start: int = 0
    value_end: int = 0


def word_at(text: str, at: int) -> CaretWord:
    at = min(max(at, 0), len(text))
    tokens = (each.span() for each in _TOKEN.finditer(text))
    start, end = next((span for span in tokens if span[0] <= at <= span[1]), (at, at))
    while start < min(at, end) and text[start] == "-":
        start += 1
    found = _TERM.match(text, start, end)
    if found is None or at < found.end():
        return CaretWord(start, end, text[start:at])
    value_start = max(found.end(), text.rfind(",", found.end(), at) + 1)
    comma = text.find(",", at, end)
    value_end = end if comma < 0 else comma
    return CaretWord(
        start,
        end,
        text[value_start:at].strip('"'),
        found[1],
        Operator(found[2].removeprefix(":") or found[2]),
        value_start,
        value_end,
    )
