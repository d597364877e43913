"""Removes credentials from what is sent, before it leaves the process.

Of a request only headers and parameters are kept that are known to be harmless. What was removed is
masked wherever the bodies of the same call repeat it. The server removes more, by shape.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote, unquote

REMOVED = "[removed]"
MOST_SECRETS = 32
MOST_CHARACTERS = 8_192
"""Characters of an address or the value of a header; longer ones are removed unread, for some are
made to be slow to search.
"""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


KEPT_HEADERS = _names(
    """
    accept accept-encoding accept-language anthropic-beta anthropic-version cache-control connection
    content-encoding content-language content-length content-type date host idempotency-key
    openai-beta openai-organization openai-project te traceparent transfer-encoding user-agent
    x-client-request-id x-correlation-id x-goog-api-client x-goog-user-project x-request-id x-title
    """
)
KEPT_BEGINNING = "x-stainless-"

KEPT_PARAMETERS = _names("$alt alt api-version beta limit model region")

_CREDENTIAL = re.compile(
    r"api-?key|assertion|auth(?!or(?:s|ed|ity|ities)?(?![a-z]))|bearer|cookie|credential|csrf|hmac|jwt|passw|secret|session"
    r"|signature|subscription-key|token(?!s\b)"
)
_HARMLESS = _names(
    """
    access-control-allow-credentials access-control-allow-headers access-control-expose-headers
    azureml-model-session idempotency-key proxy-authenticate www-authenticate
    """
)
_COUNTED = re.compile(r"limit|remaining|reset|usage|used|count|input|output|cached|total|budget")

_MEMBER = re.compile(
    rb'"(?:[A-Za-z_-]*(?:api[_-]?key|access[_-]?token|client[_-]?secret|password|secret[_-]?key)'
    rb"|authorization|authorization[_-]?token|auth[_-]?token|cookie|credentials?|id[_-]?token"
    rb"|private[_-]?key|refresh[_-]?token|secret|session[_-]?token|x-auth-token)"
    rb'"\s{0,9}:\s{0,9}"([^"\\]*(?:\\.[^"\\]*)*)"',
    re.IGNORECASE,
)
_SCHEME = re.compile(r"(?i:bearer|basic|token|apikey|key)\s+")
_USER = re.compile(r"(?<=://)[^/?#@]*@")
_PARAMETER = re.compile(r"(?<=[?&])([^=&#]{0,200})=([^&#]*)")
_KEY = re.compile(
    r"\bsk-[A-Za-z0-9_-]{16,}|\bAIza[A-Za-z0-9_-]{35}|\bri_[A-Za-z0-9_-]{43}"
    r"|\b(?:gsk|hf|r8|fw)_[A-Za-z0-9]{20,}|\bxai-[A-Za-z0-9]{20,}"
    r"|\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{8,}"
)


def is_kept_of_requests(name: str) -> bool:
    low = name.lower()
    return low in KEPT_HEADERS or low.startswith(KEPT_BEGINNING)


def is_credential(name: str) -> bool:
    """Return True for the name of a header that holds a credential."""
    low = name.lower()
    if low in _HARMLESS or not _CREDENTIAL.search(low):
        return False
    return not _COUNTED.search(low)


def clean_request_headers(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return [
        (name, clean_value(value) if is_kept_of_requests(name) else REMOVED)
        for name, value in headers
    ]


def clean_response_headers(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return [
        (name, REMOVED if is_credential(name) else clean_value(value)) for name, value in headers
    ]


def clean_value(value: str) -> str:
    if len(value) > MOST_CHARACTERS:
        return REMOVED
    return clean_url(value) if "://" in value else without_keys(value)


def clean_url(url: str) -> str:
    if len(url) > MOST_CHARACTERS:
        return REMOVED
    return without_keys(_PARAMETER.sub(_clean_parameter, _USER.sub("", url)))


def _clean_parameter(found: re.Match[str]) -> str:
    is_kept = unquote(found[1]).lower() in KEPT_PARAMETERS
    return found[0] if is_kept else f"{found[1]}={REMOVED}"


def without_keys(text: str) -> str:
    """Without what has the shape of a vendor's key."""
    return _KEY.sub(REMOVED, text)


# -- what bodies repeat ----------------------------------------------------------------------------


def secrets_of(url: str, headers: Iterable[tuple[str, str]]) -> tuple[bytes, ...]:
    """Return the credentials of a call as its bodies may spell them, the longest first."""
    found = dict.fromkeys(
        secret for text in _carried(url, headers) for secret in (text.strip(),) if is_worth(secret)
    )
    spelt = {each for text in list(found)[:MOST_SECRETS] for each in _spellings(text)}
    return tuple(sorted(spelt, key=lambda each: (-len(each), each)))


def _carried(url: str, headers: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, value in headers:
        if is_credential(name) and not is_kept_of_requests(name):
            yield from _of_value(value)
        yield from _KEY.findall(value[:MOST_CHARACTERS])
    url = url[:MOST_CHARACTERS]
    for found in _USER.finditer(url):
        yield unquote(found[0][:-1].partition(":")[2])
    for found in _PARAMETER.finditer(url):
        if unquote(found[1]).lower() not in KEPT_PARAMETERS:
            yield unquote(found[2])


def _of_value(value: str) -> Iterator[str]:
    scheme = _SCHEME.match(value.strip())
    secret = value.strip()[scheme.end() :] if scheme else value.strip()
    yield secret
    if scheme and scheme[0].lower().startswith("basic"):
        user_and_password = _decoded(secret)
        yield user_and_password
        yield user_and_password.partition(":")[2]
    for each in secret.split(";"):
        yield each.partition("=")[2]


def _decoded(secret: str) -> str:
    try:
        return base64.b64decode(secret).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""


def is_worth(secret: str) -> bool:
    """Not so short or plain that it would blank out words."""
    if len(secret) < 8:
        return False
    if any(sign.isdigit() for sign in secret):
        return len(secret) >= 16 or any(sign.isalpha() for sign in secret)
    is_mixed = secret.isalnum() and not (secret.islower() or secret.isupper())
    return len(secret) >= 20 or (is_mixed and len(secret) >= 16)


def _spellings(secret: str) -> Iterator[bytes]:
    in_json = json.dumps(secret)[1:-1]
    for text in (secret, in_json, in_json.replace("/", "\\/"), quote(secret, safe="")):
        yield text.encode("utf-8", "replace")


def mask(body: bytes, secrets: Iterable[bytes]) -> bytes:
    """With ``*`` in place of each byte of a secret, so that every other byte keeps its place."""
    for secret in secrets:
        if secret in body:
            body = body.replace(secret, b"*" * len(secret))
    return body


def mask_request_body(body: bytes, secrets: Iterable[bytes]) -> bytes:
    return _MEMBER.sub(_mask_member, mask(body, secrets))


def _mask_member(found: re.Match[bytes]) -> bytes:
    start, end = found.span(1)
    whole = found[0]
    offset = found.start()
    return whole[: start - offset] + b"*" * (end - start) + whole[end - offset :]


def header_texts(headers: Iterable[tuple[bytes, bytes]] | None) -> list[tuple[str, str]]:
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers or ()]
