"""Words that people type for a result or a time, and the term of the query language for each."""

import re
from collections.abc import Iterator

SPOKEN_TERMS = {
    "last hour": "since:1h",
    "last day": "since:24h",
    "last week": "since:7d",
    "today": "since:today",
    "yesterday": "since:yesterday until:today",
    "truncated": "result:truncated",
    "refused": "result:refused",
    "filtered": "result:filtered",
    "empty": "result:empty",
    "errors": "result:error",
    "error": "result:error",
    "failed": "result:error",
    "cut off": "verdict:cut-off",
    "slow": "first_token>2s",
}

NOUNS = r"(?: (?:answers?|responses?|captures?|calls?)(?![\w:.-]))?"
"""What is said beside a term, and adds nothing to it: ``empty answers``."""
MIN_SPOKEN = 3
"""Characters of a term that is begun."""


def meant_queries(text: str) -> Iterator[tuple[str, str]]:
    """Yield queries that a text, whose end may be unfinished, stands for; each with its words."""
    for words in tuple(_finished(text)) or (text,):
        if meant := meant_query(words):
            yield meant, words


def _finished(text: str) -> Iterator[str]:
    """Texts whose last words are those of a spoken term: ``slow last hour`` for ``slow las``."""
    for spoken in SPOKEN_TERMS:
        for length in range(len(spoken) - 1, MIN_SPOKEN - 1, -1):
            before, begun = text[:-length], text[-length:]
            if before.endswith(" ") and begun.casefold() == spoken[:length]:
                yield before + spoken
                break


def meant_query(text: str) -> str:
    """``result:truncated since:1h`` for ``truncated last hour``; "" where nothing is spoken so."""
    if '"' in text:
        return ""
    meant = text
    for spoken, term in SPOKEN_TERMS.items():
        # Whole words: "slow", not the "slow" of "slow-lane" or "model:slow".
        meant = re.sub(rf"(?<![\w:.-]){spoken}(?![\w:.-]){NOUNS}", term, meant, flags=re.IGNORECASE)
    return "" if meant == text else meant
