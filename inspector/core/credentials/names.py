"""Decides by its name whether a header, parameter or member holds a credential."""

import re
from enum import Enum, auto
from functools import lru_cache
from unicodedata import normalize
from urllib.parse import unquote


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PARTS = re.compile(
    r"auth(?!or(?:s|ed|ity|ities)?(?![a-z]))|assertion|bearer|cookie|credential|jwt|passw"
    r"|(?<!don)(?<!hoc)(?<!mon)(?<!tur)(?<!whis)key(?!board|frame|note|pad|stroke|word)"
    r"|passphrase|passcode|secret|session|signature|token|webhook"
)
"""Indicate a credential anywhere in a name."""
_WORDS = _names(
    """
    cert certs cred creds csrf dsn hmac otp pass pin psk pwd sas sid sig ticket tok totp xsrf
    """
)
"""Indicate a credential only as separate words, because other words contain them."""
_OF_ADDRESSES = frozenset({"code"})
"""Credentials in URLs alone: ``code`` is OAuth's or Azure Functions', elsewhere an error's."""
_COUNTED = _names(
    """
    budget cached completion cost count counts input limit max min output prompt reasoning
    remaining reset rpd rpm spend tokens total tpd tpm ttl usage used window
    """
)
# As in "59", "100;w=60", "6m0s" and "none": what limits of tokens are stated as.
_COUNT = re.compile(
    r"none|null|true|false"
    r"|-?\d{1,15}(?:\.\d{1,12})?(?:e-?\d{1,3})?%?(?:; ?[a-z]{1,9}=\d{1,9}){0,4}"
    r"|(?:\d{1,12}(?:\.\d{1,12})?(?:ns|us|µs|ms|s|m|h|d)){1,6}"
    r"|\d{4}-\d\d-\d\dt[\d:.]{5,18}(?:z|[+-]\d\d:?\d\d)?",
    re.IGNORECASE,
)
# As in "client", "Secret", "ID", "2" of "clientSecretID2".
_SPLIT = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_UNSEEN = re.compile(r"[\x00-\x1f\x7f\xad\u200b-\u200f\u2060-\u2064\ufeff]")
"""Characters that nobody sees in a name."""
# As in "-" and "_" of "x-api_key".
_SIGNS = re.compile(r"[^a-z0-9]+")
NAME_CHARACTERS = 200
"""Characters of a name; of a longer one only the beginning and the end are looked at."""

REMEMBERED_NAMES = 4_096
"""Names repeat from body to body; made-up ones push each other out."""

HARMLESS = _names(
    """
    :authority access-control-allow-credentials access-control-allow-headers
    access-control-expose-headers access-control-request-headers azureml-model-session
    idempotency-key keep-alive
    proxy-authenticate sec-websocket-accept sec-websocket-key surrogate-key www-authenticate
    x-amz-server-side-encryption-aws-kms-key-id x-cache-key x-idempotency-key
    """
)
"""Names that look like credentials but are not. Their values are still searched."""
_BELONGING = _names(
    """
    cachekey idempotencykey keyid keyname partitionkey primarykey promptcachekey routingkey
    sortkey
    """
)
"""Members of metadata that look like keys but serve to find and group captures."""

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
    """Return True for a header or member of metadata that is a credential, no count of tokens."""
    meaning = _meaning(_bounded(name))
    if meaning is NameMeaning.OF_COUNTS:
        return _COUNT.fullmatch(value.strip()) is None
    return meaning is NameMeaning.CREDENTIAL


class NameMeaning(Enum):
    NOTHING = auto()
    CREDENTIAL = auto()
    OF_COUNTS = auto()
    """A credential, unless its value is a count."""


@lru_cache(maxsize=REMEMBERED_NAMES)
def _meaning(name: str) -> NameMeaning:
    low, words = name.lower(), _words(name)
    if low in HARMLESS or not (_PARTS.search(low) or words & _WORDS):
        return NameMeaning.NOTHING
    return NameMeaning.OF_COUNTS if words & _COUNTED else NameMeaning.CREDENTIAL


def is_parameter(name: str, value: str) -> bool:
    """Return True for a URL parameter that is a credential, in whatever letters it is named."""
    if not (name.isascii() and name.isprintable()) or "%" in name:
        name = _UNSEEN.sub("", normalize("NFKC", unquote(name)))
    return name.lower() in _OF_ADDRESSES or is_credential(name, value)


def is_own(name: str) -> bool:
    """Return True if the value itself grants access, unlike a session id."""
    low = _bounded(name).lower().replace("session", "").replace("sid", "")
    return bool(_PARTS.search(low)) or not _words(low).isdisjoint(_WORDS)


def is_member(name: str) -> bool:
    """Return True for a member of a request body with the documented name of a credential."""
    plain = _plain(name)
    return plain in _MEMBERS or plain.endswith(_MEMBER_ENDS)


def is_belonging(name: str) -> bool:
    """Return True for a member of metadata that names a session, or a key that grants no access."""
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
