"""Parses JSON from outside that contains exchanges: limited in size, refused with a reason."""

import re

from inspector.core.json import Json, parser
from inspector.core.json.parser import JsonFaultKind

MAX_TOKENS = 2_000_000
"""Brackets, commas, colons and texts. A reader needs up to 60 bytes for each."""

# As in '"a"', "{", ":", and '"cut' at the end.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[\]{}:,]', re.DOTALL)
_SIGNS = b'[]{}:,"'
# NUL is a character like any other inside a payload; columns show it as an escape.
_TOLERATED = frozenset({JsonFaultKind.NUL})

INVALID_JSON, INVALID_PROTOBUF = "invalid_json", "invalid_protobuf"
TOO_MANY_VALUES = "too_many_values"
INVALID_PARAMETER, INVALID_KEY = "invalid_parameter", "invalid_idempotency_key"
UNREADABLE, NOT_READ, TOO_MANY_ENTRIES = "unreadable_entry", "internal_error", "batch_too_large"


class BadDocument(Exception):
    """An uploaded document is invalid: a ``code`` for programs, ``message`` with the place."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def strict_value(text: bytes, name: str) -> Json:
    if has_too_many_tokens(text):
        raise too_many_tokens(name)
    parsed = parser.parse_json(text)
    for fault in parsed.faults:
        if fault.kind not in _TOLERATED:
            raise BadDocument(INVALID_JSON, f"the {name}: {fault.message}")
    return parsed.value


def too_many_tokens(name: str) -> BadDocument:
    return BadDocument(TOO_MANY_VALUES, f"the {name} has over {MAX_TOKENS} tokens")


def has_too_many_tokens(text: bytes) -> bool:
    # Counted with those inside of texts first: that takes a twentieth of the time.
    signs = len(text) - len(text.translate(None, _SIGNS))
    return signs - text.count(b'"') // 2 > MAX_TOKENS and _counted_too_many(text)


def _counted_too_many(text: bytes) -> bool:
    return any(count > MAX_TOKENS for count, _ in enumerate(_TOKEN.finditer(text)))
