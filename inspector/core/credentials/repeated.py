"""Finds credentials of a request that recur elsewhere in its exchange, in any spelling."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote, unquote

from inspector.core.credentials.spans import CredentialSpan, source_spans

MOST = 32
"""Credentials that are searched for; each takes a pass over the body."""
LEAST_CHARACTERS = 8
LEAST_DIGITS = 16
LEAST_LETTERS = 20
"""Shorter texts of letters alone (``LEAST_DIGITS``: of digits alone) occur in bodies by chance."""

_ESCAPE = re.compile(r"\\{1,7}(?:u00[2-7][0-9A-Fa-f]|/)")


def worth_searching(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct texts that are worth searching for, the longest first."""
    found = {unquote(text) if "%" in text else text for text in texts}
    worth = sorted(filter(is_searchable_secret, found), key=lambda text: (-len(text), text))
    return tuple(worth[:MOST])


def is_searchable_secret(text: str) -> bool:
    if len(text) < LEAST_CHARACTERS:
        return False
    has_digit = any(sign.isdigit() for sign in text)
    if not has_digit:
        is_mixed = not (text.islower() or text.isupper()) and text.isalnum()
        return len(text) >= LEAST_LETTERS or (is_mixed and len(text) >= LEAST_DIGITS)
    has_letter = any(sign.isalpha() for sign in text)
    return has_letter or len(text) >= LEAST_DIGITS


def in_body(text: str, secrets: Iterable[str]) -> Iterator[CredentialSpan]:
    """Yield the credentials in a body. ``text`` is the body with each byte as one character."""
    spellings = {spelt for secret in secrets for spelt in _spellings(secret)}
    for spelt in spellings:
        yield from _places(text, spelt)
    if "\\" in text and _ESCAPE.search(text):
        plain = _ESCAPE.sub(_unescaped, text)
        yield from source_spans(
            text, _ESCAPE, (s for spelt in spellings for s in _places(plain, spelt))
        )


def in_value(value: str, secrets: Iterable[str]) -> Iterator[CredentialSpan]:
    """Yield the credentials in a header or URL."""
    for secret in secrets:
        for spelt in {secret, quote(secret, safe="")}:
            yield from _places(value, spelt)


def as_text(body: bytes) -> str:
    """Decode each byte as one character, so that character positions are byte positions."""
    return body.decode("latin-1")


def _spellings(secret: str) -> Iterator[str]:
    """Yield the text plain, as a JSON string, and percent-encoded."""
    texts = {secret, json.dumps(secret, ensure_ascii=False)[1:-1], quote(secret, safe="")}
    for text in texts:
        yield as_text(text.encode("utf-8", "surrogatepass"))
    if not secret.isascii():
        yield json.dumps(secret)[1:-1]


def _places(text: str, spelt: str) -> Iterator[CredentialSpan]:
    at = text.find(spelt)
    while at >= 0:
        yield CredentialSpan(at, at + len(spelt))
        at = text.find(spelt, at + len(spelt))


def _unescaped(found: re.Match[str]) -> str:
    return found[0][-1] if found[0][-1] == "/" else chr(int(found[0][-2:], 16))
