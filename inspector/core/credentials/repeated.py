"""Credentials of a request that stand elsewhere in its exchange, in whatever spelling."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote, unquote

from inspector.core.credentials.spans import Span, origins

MOST = 32
"""Credentials that are looked for: each costs a walk over the body."""
LEAST_CHARACTERS = 8
LEAST_DIGITS = 16
LEAST_LETTERS = 20
"""Shorter ones without a digit, or of nothing else, stand in bodies by chance."""

_ESCAPE = re.compile(r"\\{1,7}(?:u00[2-7][0-9A-Fa-f]|/)")


def sought(texts: Iterable[str]) -> tuple[str, ...]:
    """Those that are worth looking for, each once, the longest first."""
    found = {unquote(text) if "%" in text else text for text in texts}
    worth = sorted(filter(is_worth, found), key=lambda text: (-len(text), text))
    return tuple(worth[:MOST])


def is_worth(text: str) -> bool:
    if len(text) < LEAST_CHARACTERS:
        return False
    has_digit = any(sign.isdigit() for sign in text)
    if not has_digit:
        is_mixed = not (text.islower() or text.isupper()) and text.isalnum()
        return len(text) >= LEAST_LETTERS or (is_mixed and len(text) >= LEAST_DIGITS)
    has_letter = any(sign.isalpha() for sign in text)
    return has_letter or len(text) >= LEAST_DIGITS


def in_body(text: str, secrets: Iterable[str]) -> Iterator[Span]:
    """``text``: the body with each byte as one character."""
    spellings = {spelt for secret in secrets for spelt in _spellings(secret)}
    for spelt in spellings:
        yield from _places(text, spelt)
    if "\\" in text and _ESCAPE.search(text):
        plain = _ESCAPE.sub(_unescaped, text)
        yield from origins(text, _ESCAPE, (s for spelt in spellings for s in _places(plain, spelt)))


def in_value(value: str, secrets: Iterable[str]) -> Iterator[Span]:
    """In a header or an address."""
    for secret in secrets:
        for spelt in {secret, quote(secret, safe="")}:
            yield from _places(value, spelt)


def as_text(body: bytes) -> str:
    """Each byte as one character, so that places count bytes."""
    return body.decode("latin-1")


def _spellings(secret: str) -> Iterator[str]:
    """Plain, as a string of JSON, escaped for an address."""
    texts = {secret, json.dumps(secret, ensure_ascii=False)[1:-1], quote(secret, safe="")}
    for text in texts:
        yield as_text(text.encode("utf-8", "surrogatepass"))
    if not secret.isascii():
        yield json.dumps(secret)[1:-1]


def _places(text: str, spelt: str) -> Iterator[Span]:
    at = text.find(spelt)
    while at >= 0:
        yield Span(at, at + len(spelt))
        at = text.find(spelt, at + len(spelt))


def _unescaped(found: re.Match[str]) -> str:
    return found[0][-1] if found[0][-1] == "/" else chr(int(found[0][-2:], 16))
