"""Finds credentials in forms by their fields' names: multipart, or like an address's query."""

import re
from collections.abc import Iterator
from itertools import islice

from inspector.core.credentials import urls
from inspector.core.credentials.names import is_member
from inspector.core.credentials.spans import TextSpan

MAX_FIELDS = 1_000
"""Per body; what comes beyond is not searched by name."""
_HEADER_LINE = r"[^\r\n]{1,200}+\r\n"
# As in 'form-data; name="api_key"' with the rest of its headers and the empty line.
_FIELD = re.compile(
    r'form-data; name="(?P<name>[A-Za-z0-9_.-]{1,64}+)"[^\r\n]{0,200}+\r\n'
    rf"(?:{_HEADER_LINE}){{0,4}}+\r\n"
)
# As in "client_id=a&client_secret=b".
_FORM = re.compile(r"(?:[^\s=&\"{}<>]{1,200}+=[^\s\"{}<>&]*+(?:&|\s*\Z))++")
FORM_CHARACTERS = 262_144
"""Characters of a form like a query; a longer one is not searched by name."""
_NEXT_BOUNDARY = "\r\n--"


def in_multipart(text: str) -> Iterator[TextSpan]:
    """Yield the values of such fields. ``text`` is a body with each byte as one character."""
    for found in islice(_FIELD.finditer(text), MAX_FIELDS):
        if is_member(found["name"]):
            end = text.find(_NEXT_BOUNDARY, found.end())
            # The body may be cut in the value.
            yield TextSpan(found.end(), len(text) if end < 0 else end)


def in_urlencoded(text: str) -> Iterator[TextSpan]:
    """Yield the values of fields that would be removed from an address, too. Nobody says here what
    kind of body it is: one is such a form if all of it reads as one.
    """
    if len(text) <= FORM_CHARACTERS and _FORM.fullmatch(text):
        for start, end in urls.spans(f"?{text}"):
            yield TextSpan(max(0, start - 1), end - 1)
