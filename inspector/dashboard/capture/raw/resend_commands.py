"""Builds curl and Python commands that resend a captured request.

Both send the same method, target, headers and body, byte for byte. Host, length and
connection headers are left to the client, and so is Accept-Encoding, so that the response is
readable. A credential removed at intake becomes the variable ``API_KEY``; other removed values are
left out and listed, because the key must not be sent in their place. The page names the host that
will receive the key.

A body goes to curl through a pipe: a here-document ends with a line end that it may not have. What
a page cannot show without loss is base64. ``--globoff``, because brackets in an address are no
patterns.
"""

import base64
import json
from dataclasses import dataclass
from shlex import quote
from urllib.parse import urlsplit

from inspector.core.credentials.spans import REMOVED_MARK
from inspector.core.vendors import vendors_at
from inspector.core.vendors.vendor_signals import host_of
from inspector.core.wire.exchange import Request
from inspector.formatting.invisible_characters import INVISIBLE_CHARACTERS
from inspector.transfer.resent_request import (
    DEFAULTS_OF_CURL,
    KEY_VARIABLE,
    HeaderValue,
    curl_header,
    is_plain,
    sent_headers,
    shell_quoted,
    split_at_key,
)

BODY_FILE = "request-body"
MAX_INLINE_BYTES = 64_000
"""A longer body is read from a file: shells limit the length of an argument."""


@dataclass(frozen=True, slots=True)
class ResendCommands:
    """``left_out`` lists the header names that neither command sends."""

    host: str
    """Host of the request URL, as stated by whoever sent the capture."""
    vendor: str
    """Vendor that owns the host; empty if unknown."""

    curl: str
    python: str
    reads_file: bool
    needs_key: bool
    left_out: tuple[str, ...]
    adds_content_type: bool


def build_resend_commands(request: Request) -> ResendCommands | None:
    """Return the commands; None if the URL is unknown or cannot be requested by either client."""
    method, url = request.method or ("POST" if request.body else "GET"), request.url or ""
    if not is_address(url) or not method.isascii() or not method.isalpha():
        return None
    headers = sent_headers(request)
    adds = is_json(request.body) and all(name.lower() != "content-type" for name, _ in headers)
    if adds:
        headers.append(("Content-Type", ("application/json",)))
    target = split_at_key(url)
    names = {name.lower() for name, _ in headers}
    return ResendCommands(
        host=urlsplit(url).netloc,
        vendor=next((vendor.title for vendor in vendors_at(host_of(url))), ""),
        curl=curl_command(method, target, headers, request.body),
        python=python_command(method, target, headers, request.body),
        reads_file=len(request.body or b"") > MAX_INLINE_BYTES,
        needs_key=any(len(value) > 1 for _, value in [("", target), *headers]),
        left_out=tuple(sorted({n.lower() for n, _ in request.headers or ()} - names)),
        adds_content_type=adds,
    )


def is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        is_whole = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and is_whole and is_plain(url)


def is_json(body: bytes | None) -> bool:
    return (body or b"").lstrip()[:1] in (b"{", b"[")


# -- curl -----------------------------------------------------------------------------------------


def curl_command(
    method: str, target: HeaderValue, headers: list[tuple[str, HeaderValue]], body: bytes | None
) -> str:
    lines = [
        f"curl --silent --show-error --no-buffer --globoff --request {method}",
        f"--url {shell_quoted(target)}",
    ]
    lines += [f"--header {curl_header(name, value)}" for name, value in headers]
    names = {name.lower() for name, _ in headers}
    lines += [f"--header {quote(n + ':')}" for n in DEFAULTS_OF_CURL if n.lower() not in names]
    before = ""
    if body is not None and len(body) > MAX_INLINE_BYTES:
        lines.append(f"--data-binary @{BODY_FILE}")
    elif body is not None:
        before = f"{pipe_command(body)} | "
        lines.append("--data-binary @-")
    return before + " \\\n  ".join(lines) + "\n"


def pipe_command(body: bytes) -> str:
    """Shell command that writes the body to a pipe: as text if safe to copy, else as base64."""
    text = copyable_text(body)
    if text is not None:
        return f"printf %s {quote(text)}"
    return f"printf %s {base64.b64encode(body).decode()} | base64 -d"


def copyable_text(body: bytes) -> str | None:
    """Return the body as text; None if copying it from a page would change bytes."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None
    return None if INVISIBLE_CHARACTERS.search(text) else text


# -- Python ---------------------------------------------------------------------------------------


def python_command(
    method: str, target: HeaderValue, headers: list[tuple[str, HeaderValue]], body: bytes | None
) -> str:
    parts = urlsplit(REMOVED_MARK.join(target))
    secure = "HTTPS" if parts.scheme == "https" else "HTTP"
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    lines = [
        "import http.client",
        "import os",
        "import sys",
        "",
        f"body = {python_body(body)}",
        "headers = {",
        *(f"    {name!r}: {python_literal(value)}," for name, value in headers),
        "}",
        f"connection = http.client.{secure}Connection({parts.netloc!r})",
        f"connection.request({method!r}, {python_literal(split_at_key(path))}, body, headers)",
        "response = connection.getresponse()",
        "print(response.status, response.reason, file=sys.stderr)",
        "for line in response:",
        "    sys.stdout.buffer.write(line)",
        "    sys.stdout.flush()",
    ]
    if "os.environ" not in "\n".join(lines[4:]):
        lines.remove("import os")
    return "\n".join(lines) + "\n"


def python_literal(value: HeaderValue) -> str:
    parts = [repr(value[0])] if value[0] or len(value) == 1 else []
    for text in value[1:]:
        parts += [f'os.environ["{KEY_VARIABLE}"]', *([repr(text)] if text else [])]
    return " + ".join(parts)


def python_body(body: bytes | None) -> str:
    if body is None:
        return "None"
    if len(body) > MAX_INLINE_BYTES:
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
