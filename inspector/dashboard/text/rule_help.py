"""What a rule says of itself, with its code and the documents that it names."""

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.core.formats.reference_documents import linked


@dataclass(frozen=True, slots=True)
class MeaningPart:
    """A part of a rule's description: plain text, code, or a link to a reference document."""

    text: str
    is_code: bool = False
    address: str | None = None


def meaning_parts(text: str) -> Iterator[MeaningPart]:
    """Split a rule's docstring line at double backticks (code) and reference numbers (links)."""
    for number, part in enumerate(text.split("``")):
        if number % 2:
            yield MeaningPart(part, is_code=True)
        else:
            yield from (MeaningPart(words, address=address) for words, address in linked(part))
