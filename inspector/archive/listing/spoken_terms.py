"""Words that people type for a result or a time, and the term of the query language for each."""

import re

SPOKEN_TERMS = {
    "last hour": "since:1h",
    "last day": "since:24h",
    "last week": "since:7d",
    "today": "since:today",
    "yesterday": "since:yesterday",
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


def meant_query(text: str) -> str:
    """``result:truncated since:1h`` for ``truncated last hour``; "" where nothing is spoken so."""
    if '"' in text:
        return ""
    meant = text
    for spoken, term in SPOKEN_TERMS.items():
        # Whole words: "slow", not the "slow" of "slow-lane" or "model:slow".
        meant = re.sub(rf"(?<![\w:.-]){spoken}(?![\w:.-])", term, meant, flags=re.IGNORECASE)
    return "" if meant == text else meant
