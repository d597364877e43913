"""A known request as commands that send it again: for curl in a shell, and for Python.

Both send the same method, target, headers and body, to the byte. What a client must write itself
(host, length, connection) is left to it, and so is the coding of the answer, that it can be read. A
credential was replaced at intake; in its place stands the variable ``API_KEY``. Other values that
were removed are left out and named: the key goes nowhere else. Whose host it goes to is told.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from shlex import quote
from urllib.parse import urlsplit

from inspector.core.clues import host_of
from inspector.core.credentials.names import is_own
from inspector.core.credentials.spans import REMOVED
from inspector.core.dialects import vendors
from inspector.core.dialects.vendor import is_at
from inspector.core.exchange import Request
from inspector.dashboard.marks import INVISIBLE

KEY = "API_KEY"
BODY_FILE = "request-body"
MOST_INLINE_BYTES = 64_000
"""A longer body is read from a file: a shell takes no argument of any length."""
WRITTEN_BY_CLIENTS = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
DEFAULTS_OF_CURL = ("Accept", "User-Agent", "Content-Type")

Value = tuple[str, ...]
"""Texts between which the key stands."""


@dataclass(frozen=True, slots=True)
class Resending:
    """``left_out`` are the names of headers that neither command sends."""

    host: str
    """As the address names it: whoever sent the capture wrote that."""
    vendor: str
    """Whose host it is; empty where that is not known."""

    curl: str
    python: str
    reads_file: bool
    needs_key: bool
    left_out: tuple[str, ...]
    adds_content_type: bool


def resending(request: Request) -> Resending | None:
    """None where the address is not known, or is none that either could send to."""
    method, url = request.method or ("POST" if request.body else "GET"), request.url or ""
    if not is_address(url) or not method.isascii() or not method.isalpha():
        return None
    headers = sent_headers(request)
    adds = is_json(request.body) and all(name.lower() != "content-type" for name, _ in headers)
    if adds:
        headers.append(("Content-Type", ("application/json",)))
    target = cut_at_key(url)
    names = {name.lower() for name, _ in headers}
    return Resending(
        host=urlsplit(url).netloc,
        vendor=vendor_at(host_of(url)),
        curl=curl(method, target, headers, request.body),
        python=python(method, target, headers, request.body),
        reads_file=len(request.body or b"") > MOST_INLINE_BYTES,
        needs_key=any(len(value) > 1 for _, value in [("", target), *headers]),
        left_out=tuple(sorted({n.lower() for n, _ in request.headers} - names)),
        adds_content_type=adds,
    )


def vendor_at(host: str) -> str:
    found = (vendor.title for vendor in vendors().values() if is_at(vendor, host))
    return next(found, "")


def is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        is_whole = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and is_whole and is_plain(url)


def is_plain(text: str) -> bool:
    """Letters, digits and signs of ASCII: nothing that a line could end or hide in."""
    return text.isascii() and text.isprintable()


def is_json(body: bytes | None) -> bool:
    return (body or b"").lstrip()[:1] in (b"{", b"[")


def sent_headers(request: Request) -> list[tuple[str, Value]]:
    """Headers as they are sent again; those of one name become one (RFC 9110, section 5.3)."""
    merged: dict[str, tuple[str, Value]] = {}
    for name, value in request.headers:
        if not is_sent(name, value):
            continue
        told = value_of(name, value)
        if name.lower() in merged:
            first, before = merged[name.lower()]
            merged[name.lower()] = (first, (*before[:-1], f"{before[-1]}, {told[0]}", *told[1:]))
        else:
            merged[name.lower()] = (name, told)
    return list(merged.values())


def is_sent(name: str, value: str) -> bool:
    is_name = bool(name) and all(sign.isalnum() or sign in "!#$%&'*+-.^_`|~" for sign in name)
    is_lost = REMOVED in value and not takes_key(name, value)
    is_ours = name.lower() in WRITTEN_BY_CLIENTS
    return is_name and is_plain(name + value) and not is_ours and not is_lost


def takes_key(name: str, value: str) -> bool:
    """Of a header that lost its value: that was a credential, and none of a browser's."""
    return value == REMOVED and is_own(name) and name.lower() != "cookie"


def value_of(name: str, value: str) -> Value:
    if value == REMOVED:
        return ("Bearer " if name.lower() == "authorization" else "", "")
    return (value.strip(),)


def cut_at_key(url: str) -> Value:
    return tuple(url.split(REMOVED))


# -- curl -----------------------------------------------------------------------------------------


def curl(method: str, target: Value, headers: list[tuple[str, Value]], body: bytes | None) -> str:
    lines = [
        f"curl --silent --show-error --no-buffer --globoff --request {method}",
        f"--url {in_shell(target)}",
    ]
    lines += [f"--header {curl_header(name, value)}" for name, value in headers]
    names = {name.lower() for name, _ in headers}
    lines += [f"--header {quote(n + ':')}" for n in DEFAULTS_OF_CURL if n.lower() not in names]
    before = ""
    if body is not None and len(body) > MOST_INLINE_BYTES:
        lines.append(f"--data-binary @{BODY_FILE}")
    elif body is not None:
        before = f"{in_pipe(body)} | "
        lines.append("--data-binary @-")
    return before + " \\\n  ".join(lines) + "\n"


def curl_header(name: str, value: Value) -> str:
    """An empty value is asked for by a semicolon: with a colon the header would be left out."""
    return quote(f"{name};") if value == ("",) else in_shell((f"{name}: {value[0]}", *value[1:]))


def in_shell(value: Value) -> str:
    return f'"${KEY}"'.join(quote(text) if text else "" for text in value) or "''"


def in_pipe(body: bytes) -> str:
    """What writes a body to a pipe: text that can be read as it is, anything else as base64."""
    text = readable(body)
    if text is not None:
        return f"printf %s {quote(text)}"
    return f"printf %s {base64.b64encode(body).decode()} | base64 -d"


def readable(body: bytes) -> str | None:
    """None where a copy from a page would not be the same bytes."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None
    return None if INVISIBLE.search(text) else text


# -- Python ---------------------------------------------------------------------------------------


def python(method: str, target: Value, headers: list[tuple[str, Value]], body: bytes | None) -> str:
    parts = urlsplit(REMOVED.join(target))
    secure = "HTTPS" if parts.scheme == "https" else "HTTP"
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    lines = [
        "import http.client",
        "import os",
        "import sys",
        "",
        f"body = {python_body(body)}",
        "headers = {",
        *(f"    {name!r}: {in_python(value)}," for name, value in headers),
        "}",
        f"connection = http.client.{secure}Connection({parts.netloc!r})",
        f"connection.request({method!r}, {in_python(cut_at_key(path))}, body, headers)",
        "response = connection.getresponse()",
        "print(response.status, response.reason, file=sys.stderr)",
        "for line in response:",
        "    sys.stdout.buffer.write(line)",
        "    sys.stdout.flush()",
    ]
    if "os.environ" not in "\n".join(lines[4:]):
        lines.remove("import os")
    return "\n".join(lines) + "\n"


def in_python(value: Value) -> str:
    parts = [repr(value[0])] if value[0] or len(value) == 1 else []
    for text in value[1:]:
        parts += [f'os.environ["{KEY}"]', *([repr(text)] if text else [])]
    return " + ".join(parts)


def python_body(body: bytes | None) -> str:
    if body is None:
        return "None"
    if len(body) > MOST_INLINE_BYTES:
        return f"open({BODY_FILE!r}, 'rb').read()"
    try:
        return f"{body.decode()!r}.encode()"
    except UnicodeDecodeError:
        return repr(body)


# -- a request that is not known ------------------------------------------------------------------

ENVELOPE = {
    "request": {"method": "POST", "url": "https://…", "headers": [], "body": "{…}"},
    "response": {"status": 200, "headers": [], "body": "…"},
}


def envelope_example() -> str:
    return json.dumps(ENVELOPE, ensure_ascii=False, indent=2)
