"""Names that say that a credential follows, and names of headers that are known to hold none."""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import lru_cache


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PARTS = re.compile(
    r"auth(?!or(?:s|ed|ity|ities)?(?![a-z]))|assertion|bearer|cookie|credential|jwt|passw"
    r"|(?<!don)(?<!hoc)(?<!mon)(?<!tur)(?<!whis)key(?!board|frame|note|pad|stroke|word)"
    r"|passphrase|passcode|secret|session|signature|token|webhook"
)
"""Anywhere in a name."""
_WORDS = _names(
    """
    cert certs cred creds csrf dsn hmac otp pass pin psk pwd sas sid sig ticket tok totp xsrf
    """
)
"""As a word of its own: other words hold them by chance."""
_OF_ADDRESSES = frozenset({"code"})
"""OAuth's, Azure Functions' key; in other places it is a number of an error."""
_COUNTED = _names(
    """
    budget cached completion cost count counts input limit max min output prompt reasoning
    remaining reset rpd rpm spend tokens total tpd tpm ttl usage used window
    """
)
_COUNT = re.compile(
    r"none|null|true|false"
    r"|-?\d{1,15}(?:\.\d{1,12})?(?:e-?\d{1,3})?%?(?:; ?[a-z]{1,9}=\d{1,9}){0,4}"
    r"|(?:\d{1,12}(?:\.\d{1,12})?(?:ns|us|µs|ms|s|m|h|d)){1,6}"
    r"|\d{4}-\d\d-\d\dt[\d:.]{5,18}(?:z|[+-]\d\d:?\d\d)?",
    re.IGNORECASE,
)
_SPLIT = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SIGNS = re.compile(r"[^a-z0-9]+")
NAME_CHARACTERS = 200
"""Of a longer name only its beginning and its end are looked at."""

REMEMBERED_NAMES = 4_096

HARMLESS = _names(
    """
    :authority access-control-allow-credentials access-control-allow-headers
    access-control-expose-headers access-control-request-headers azureml-model-session
    idempotency-key keep-alive
    proxy-authenticate sec-websocket-accept sec-websocket-key surrogate-key www-authenticate
    x-amz-server-side-encryption-aws-kms-key-id x-cache-key x-idempotency-key
    """
)
"""Names that speak of credentials and carry none. Their values are looked at all the same."""
_BELONGING = _names(
    """
    cachekey idempotencykey keyid keyname partitionkey primarykey promptcachekey routingkey
    sortkey
    """
)
"""In metadata: what captures are found and put together by."""

KEPT_OF_REQUESTS = _names(
    """
    :authority :method :path :protocol :scheme accept accept-charset accept-encoding
    accept-language anthropic-beta anthropic-dangerous-direct-browser-access anthropic-version
    cache-control connection content-encoding content-language content-length content-type date
    dnt expect host http-referer idempotency-key if-match if-modified-since if-none-match
    if-unmodified-since keep-alive openai-beta openai-organization openai-project origin pragma
    priority proxy-connection range referer sec-gpc sec-websocket-extensions
    sec-websocket-protocol sec-websocket-version te trailer transfer-encoding traceparent
    upgrade upgrade-insecure-requests user-agent via x-amz-content-sha256 x-amz-date
    x-amz-target x-amz-user-agent amz-sdk-invocation-id amz-sdk-request x-amzn-trace-id
    x-client-request-id x-correlation-id x-goog-api-client x-goog-request-params
    x-goog-user-project x-ms-client-request-id x-ms-useragent x-ms-version x-original-url
    x-request-id x-requested-with x-rewrite-url x-title
    """
)
KEPT_BEGINNINGS = ("sec-ch-", "sec-fetch-", "x-stainless-")

_MEMBERS = _names(
    """
    accesstoken apikey authorization authorizationtoken authtoken awsaccesskeyid
    awssecretaccesskey awssessiontoken bearertoken clientassertion clientsecret connectionstring
    cookie credential credentials idtoken ocpapimsubscriptionkey passphrase passwd password
    privatekey proxyauthorization pwd refreshtoken secret secretaccesskey secretkey
    securitytoken serviceaccountkey sessiontoken setcookie subscriptionkey xauthtoken
    """
)
_MEMBER_ENDS = ("accesstoken", "apikey", "clientsecret", "password", "secretkey")


def is_credential(name: str, value: str = "") -> bool:
    """Of a header or a member of metadata; a count or a moment of tokens is none."""
    meaning = _meaning(_bounded(name))
    if meaning is Meaning.OF_COUNTS:
        return _COUNT.fullmatch(value.strip()) is None
    return meaning is Meaning.CREDENTIAL


class Meaning(Enum):
    NOTHING = auto()
    CREDENTIAL = auto()
    OF_COUNTS = auto()
    """A credential, unless its value is a count."""


@lru_cache(maxsize=REMEMBERED_NAMES)
def _meaning(name: str) -> Meaning:
    low, words = name.lower(), _words(name)
    if low in HARMLESS or not (_PARTS.search(low) or words & _WORDS):
        return Meaning.NOTHING
    return Meaning.OF_COUNTS if words & _COUNTED else Meaning.CREDENTIAL


def is_parameter(name: str, value: str) -> bool:
    """Of an address: the value of such a parameter is a credential."""
    return name.lower() in _OF_ADDRESSES or is_credential(name, value)


def is_own(name: str) -> bool:
    """Whoever has its value may do something: not so with what only names a session."""
    low = _bounded(name).lower().replace("session", "").replace("sid", "")
    return bool(_PARTS.search(low)) or not _words(low).isdisjoint(_WORDS)


def is_member(name: str) -> bool:
    """Of an object in the body of a request: known by its documented name alone."""
    plain = _plain(name)
    return plain in _MEMBERS or plain.endswith(_MEMBER_ENDS)


def is_belonging(name: str) -> bool:
    """Of a member of metadata: it names a session or a sort of key, and opens no door."""
    return _plain(name) in _BELONGING or not is_own(name)


def is_kept_of_requests(name: str) -> bool:
    low = name.lower()
    return low in KEPT_OF_REQUESTS or low.startswith(KEPT_BEGINNINGS)


def _words(name: str) -> set[str]:
    return {word.lower() for word in _SPLIT.findall(name)}


def _plain(name: str) -> str:
    return _SIGNS.sub("", _bounded(name).lower())


def _bounded(name: str) -> str:
    if len(name) <= NAME_CHARACTERS:
        return name
    return f"{name[: NAME_CHARACTERS // 2]} {name[-NAME_CHARACTERS // 2 :]}"
