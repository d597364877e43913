"""Finds credentials of a request that recur elsewhere in its exchange, in any spelling."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import quote, unquote

from inspector.core.credentials.spans import TextSpan, source_spans

MOST = 32
"""Credentials that are searched for; each takes a pass over the body."""
MIN_CHARACTERS = 8
MIN_DIGITS = 16
MIN_LETTERS = 20
"""Shorter texts of letters alone (``MIN_DIGITS``: of digits alone) occur in bodies by chance."""

SIGN_CHARACTERS = 4
"""A text is compared with a credential where it has the credential's first characters."""
MAX_TRIES = 64
"""Comparisons; from the next place on the text is taken for unfinished."""

# As in "\u002f" and "\/" for a slash.
_ESCAPE = re.compile(r"\\{1,7}(?:u00[2-7][0-9A-Fa-f]|/)")
# As in "\u00" where a read ends.
_CUT_ESCAPE = re.compile(r"\\{1,7}(?:u(?:0(?:0[2-7]?)?)?)?\Z")
ESCAPE_CHARACTERS = 11
"""Most that an escape has before its last character."""


def worth_searching(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct texts that are worth searching for, the longest first."""
    found = {unquote(text) if "%" in text else text for text in texts}
    worth = sorted(filter(is_searchable_secret, found), key=lambda text: (-len(text), text))
    return tuple(worth[:MOST])


def is_searchable_secret(text: str) -> bool:
    if len(text) < MIN_CHARACTERS:
        return False
    has_digit = any(sign.isdigit() for sign in text)
    if not has_digit:
        is_mixed = not (text.islower() or text.isupper()) and text.isalnum()
        return len(text) >= MIN_LETTERS or (is_mixed and len(text) >= MIN_DIGITS)
    has_letter = any(sign.isalpha() for sign in text)
    return has_letter or len(text) >= MIN_DIGITS


class SettledSearch(NamedTuple):
    spans: list[TextSpan]
    settled: int
    """Place in the text before which all that begins was found, whatever follows."""


class RepeatedCredentials:
    """The credentials of one request, to be found in bodies in any spelling."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self.secrets = tuple(secrets)
        self._spellings = tuple({spelt for secret in self.secrets for spelt in _spellings(secret)})

    def __bool__(self) -> bool:
        return bool(self._spellings)

    def search(self, text: str) -> SettledSearch:
        """Find them in a text of which more may follow. ``text`` is a body, or a part of one that
        begins where an earlier search was settled, with each byte as one character.
        """
        if not self._spellings:
            return SettledSearch([], len(text))
        found = list(self._places(text))
        settled = self._first_unfinished(text)
        unescaped = _Unescaped(text)
        if unescaped.is_same:
            return SettledSearch(found, settled)
        found += unescaped.in_source(self._places(unescaped.whole))
        at = self._first_unfinished(unescaped.finished)
        return SettledSearch(found, min(settled, unescaped.place_in_source(at)))

    def all_in(self, text: str) -> list[TextSpan]:
        """Find them in a whole body, and at its end what it has of one that it cuts."""
        return [*self.search(text).spans, *self.cut_off(text)]

    def cut_off(self, text: str) -> Iterator[TextSpan]:
        """Yield what the end of a text has of a credential that it cuts."""
        unescaped = _Unescaped(text)
        for kept in {text, unescaped.finished}:
            at = self._first_unfinished(kept)
            is_cut = any(spelt.startswith(kept[at:]) for spelt in self._spellings)
            if is_cut and len(kept) - at >= MIN_CHARACTERS:
                start = at if kept is text else unescaped.place_in_source(at)
                yield TextSpan(start, len(text))

    def _places(self, text: str) -> Iterator[TextSpan]:
        for spelt in self._spellings:
            yield from _places(text, spelt)

    def _first_unfinished(self, text: str) -> int:
        return min((_unfinished(text, spelt) for spelt in self._spellings), default=len(text))


def in_value(value: str, secrets: Iterable[str]) -> Iterator[TextSpan]:
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


def _places(text: str, spelt: str) -> Iterator[TextSpan]:
    at = text.find(spelt)
    while at >= 0:
        end = at + len(spelt)
        yield TextSpan(at, end)
        # They may overlap: the last one that begins inside of this one continues it.
        inside = text.rfind(spelt, at + 1, end + len(spelt) - 1)
        at = inside if inside > at else text.find(spelt, end)


def _unfinished(text: str, spelt: str) -> int:
    """Where a ``spelt`` may begin that the text's end cuts; the text's length if there is none."""
    at = max(0, len(text) - len(spelt) + 1)
    last = max(at, len(text) - SIGN_CHARACTERS + 1)
    for _ in range(MAX_TRIES):
        at = text.find(spelt[:SIGN_CHARACTERS], at)
        if at < 0:
            break
        if text[at:] == spelt[: len(text) - at]:
            return at
        at += 1
    else:
        # Nobody waits for an answer to a text made to be compared again and again.
        return at
    return next((at for at in range(last, len(text)) if spelt.startswith(text[at:])), len(text))


class _Unescaped:
    """A text with its escapes undone, of which the last may be cut."""

    def __init__(self, text: str) -> None:
        self._text = text
        cut = _CUT_ESCAPE.search(text, max(0, len(text) - ESCAPE_CHARACTERS))
        self._end = cut.start() if cut else len(text)
        # Found faster than by the pattern, and most texts have none.
        has_escapes = ("\\u00" in text or "\\/" in text) and _ESCAPE.search(text)
        self.whole = _ESCAPE.sub(_unescaped, text) if has_escapes else text
        self.finished = self.whole[: len(self.whole) - (len(text) - self._end)]
        """Without an escape that is cut."""

    @property
    def is_same(self) -> bool:
        return self.finished == self._text

    def in_source(self, spans: Iterable[TextSpan]) -> list[TextSpan]:
        return source_spans(self._text, _ESCAPE, spans)

    def place_in_source(self, at: int) -> int:
        if at >= len(self.finished):
            return self._end
        ((start, _),) = self.in_source([TextSpan(at, at + 1)])
        return start


def _unescaped(found: re.Match[str]) -> str:
    return found[0][-1] if found[0][-1] == "/" else chr(int(found[0][-2:], 16))
