"""Finds credentials inside JSON: in request bodies by documented names, in metadata by all signs.

A body is searched as text, so that broken JSON and JSON inside strings are covered too. A string
inside a string has its quotes escaped: ``\\"``.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from inspector.core.credentials import key_patterns, repeated, urls
from inspector.core.credentials.headers import clean_header_value
from inspector.core.credentials.names import (
    is_belonging,
    is_credential,
    is_kept_of_requests,
    is_member,
)
from inspector.core.credentials.spans import REMOVED_MARK, TextSpan, remove_spans
from inspector.core.json import Json

MAX_BACKSLASHES = 7
"""Backslashes before a quote: three levels of JSON inside strings."""
ADDRESS_CHARACTERS = 65_536
"""Longer ones are data of images."""
MAX_ADDRESSES = 5_000
MAX_MEMBERS = 20_000
MAX_HEADERS = 200
"""Headers per object. The limits here bound the time spent; what comes beyond is not searched."""
SCHEMA = frozenset({"$ref", "additionalProperties", "description", "properties", "type"})
HEADERS = frozenset({"headers", "extra_headers", "default_headers", "http_headers"})

_SPACE = r"(?:\s|\\{1,7}[nrt])*+"
_NAME = r"(?P<name>(?:[A-Za-z0-9_.-]|\\{1,7}u00[2-7][0-9A-Fa-f]){1,64}+)"
# Patterns begin with the bare quote, which is found fast; its backslashes are checked afterwards.
_MEMBER = re.compile(rf'"{_NAME}(?P<quote>\\{{0,7}}"){_SPACE}:{_SPACE}(?P<value>\\{{0,7}}"|[\[{{])')
# As in '"pin": 1234' and '\"token\": true' inside a string.
_SCALAR = re.compile(
    rf'"(?P<name>[^"\\]{{1,64}}+)(?P<quote>\\{{0,7}}"){_SPACE}:{_SPACE}(?P<value>[A-Za-z0-9.+-]++)'
)
# As in ", " between two items.
_NEXT_ITEM = re.compile(rf"{_SPACE}(?:,{_SPACE})?")
# As in "}], " in front of the next name.
_NEXT_MEMBER = re.compile(rf"(?:{_SPACE}[\],])*+{_SPACE}")
# As in '"https:'.
_ADDRESS = re.compile(r'"(?:https?|wss?):')
# As in "\\u0070": a letter of a name that was escaped, perhaps twice.
_ESCAPED = re.compile(r"\\{1,7}u00([2-7][0-9A-Fa-f])")


def in_body(text: str) -> Iterator[TextSpan]:
    """Yield the credentials in a request body; each character of ``text`` is one of its bytes."""
    yield from key_patterns.key_spans_in_text(text)
    for span in islice(_addresses(text), MAX_ADDRESSES):
        yield from _of_address(text, *span)
    for found in islice(filter(_is_telling, _MEMBER.finditer(text)), MAX_MEMBERS):
        if is_member(_escaped_as(found["name"])):
            yield from _strings_at(text, found.end("value"), found)
        else:
            yield from _headers_at(text, found.end("value"), found["quote"])


def _addresses(text: str) -> Iterator[TextSpan]:
    for found in _ADDRESS.finditer(text):
        start = found.start() + 1
        end = _end_of_string(text, start, _quote_at(text, found.start()))
        if end - start <= ADDRESS_CHARACTERS and urls.may_hold(text[start:end]):
            yield TextSpan(start, end)


def _is_telling(found: re.Match[str]) -> bool:
    name, value = _escaped_as(found["name"]), found["value"]
    is_wanted = is_member(name) or (value == "{" and name.lower() in HEADERS)
    return is_wanted and value in (found["quote"], "[", "{") and _is_opened(found)


def _is_opened(found: re.Match[str]) -> bool:
    """Return True if the name begins with the same escaped quote as it ends with."""
    return found.string.endswith(found["quote"], 0, found.start() + 1)


def _quote_at(text: str, at: int) -> str:
    before = at
    while before > max(0, at - MAX_BACKSLASHES) and text[before - 1] == "\\":
        before -= 1
    return text[before : at + 1]


def _of_address(text: str, start: int, end: int) -> Iterator[TextSpan]:
    for span in urls.spans(text[start:end]):
        yield TextSpan(start + span.start, start + span.end)


def _strings_at(text: str, at: int, found: re.Match[str]) -> Iterator[TextSpan]:
    if found["value"] == found["quote"]:
        yield TextSpan(at, _end_of_string(text, at, found["quote"]))
    elif found["value"] == "[":
        yield from _list_strings(text, at, found["quote"])


def _list_strings(text: str, at: int, quote: str) -> Iterator[TextSpan]:
    at = _skip(_NEXT_ITEM, text, at)
    while text.startswith(quote, at):
        start = at + len(quote)
        end = _end_of_string(text, start, quote)
        yield TextSpan(start, end)
        at = _skip(_NEXT_ITEM, text, end + len(quote))


def _headers_at(text: str, at: int, quote: str) -> Iterator[TextSpan]:
    """Yield header values inside a body, unless their names are known to be harmless.

    In a JSON schema that describes headers, only names that indicate a credential count.
    """
    members = list(islice(_members_at(text, at, quote), MAX_HEADERS))
    is_schema = any(member.name in SCHEMA for member in members)
    for member in members:
        if is_credential(member.name) or not (is_schema or is_kept_of_requests(member.name)):
            yield from member.strings


class CredentialMember(NamedTuple):
    name: str
    strings: list[TextSpan]


def _members_at(text: str, at: int, quote: str) -> Iterator[CredentialMember]:
    """Yield members until the object ends or contains another object."""
    at = _skip(_NEXT_ITEM, text, at) + len(quote) - 1
    while found := _MEMBER.match(text, at) or _SCALAR.match(text, at):
        if found["quote"] != quote or not _is_opened(found) or found["value"] == "{":
            return
        strings = list(_strings_at(text, found.end("value"), found))
        yield CredentialMember(_escaped_as(found["name"]), strings)
        end = strings[-1].end + len(quote) if strings else found.end()
        at = _skip(_NEXT_MEMBER, text, end) + len(quote) - 1


def _skip(between: re.Pattern[str], text: str, at: int) -> int:
    found = between.match(text, at)
    return found.end() if found else at


def _end_of_string(text: str, start: int, quote: str) -> int:
    """Position of the closing quote, or the text's end; ``quote``: the opening one, escaped."""
    escapes = len(quote) - 1
    at = text.find('"', start)
    while at >= 0:
        before = at
        while before > start and text[before - 1] == "\\":
            before -= 1
        count = at - before
        if count < escapes or count % (2 * escapes + 2) == escapes:
            return max(start, at - min(count, escapes))
        at = text.find('"', at + 1)
    return len(text)


def _escaped_as(name: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), name) if "\\" in name else name


# -- metadata -------------------------------------------------------------------------------------


@dataclass(slots=True)
class MetadataCleaner:
    """Cleans metadata, and counts the texts in which something was removed."""

    carried: Sequence[str]
    count: int = 0

    def cleaned_object(self, found: dict[str, Json], *, is_secret: bool = False) -> dict[str, Json]:
        return {
            self._text(name): self._cleaned(value, is_secret or _is_secret(name, value))
            for name, value in found.items()
        }

    def _cleaned(self, value: Json, is_secret: bool) -> Json:
        if isinstance(value, str):
            return self._secret(value) if is_secret else self._text(value)
        if isinstance(value, list):
            return [self._cleaned(item, is_secret) for item in value]
        if isinstance(value, dict):
            return self.cleaned_object(value, is_secret=is_secret)
        return value

    def _secret(self, text: str) -> str:
        if not text.strip() or text == REMOVED_MARK:
            return text
        self.count += 1
        return REMOVED_MARK

    def _text(self, text: str) -> str:
        kept = clean_header_value(remove_spans(text, repeated.in_value(text, self.carried)))
        self.count += kept != text
        return kept


def _is_secret(name: str, value: Json) -> bool:
    if is_member(name):
        return True
    if is_belonging(name):
        return False
    # An object or list with the name of a count holds counts.
    return is_credential(name, value if isinstance(value, str) else "0")
