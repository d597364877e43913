"""Response headers that a browser applies to more than the response they stand in: to the origin,
its site, other addresses, the page that called, or the browser itself.

An upstream shares its origin with others, so none of these is its to say.
"""

import re
from collections.abc import Mapping


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SOURCES: Mapping[str, frozenset[str]] = {
    "Cookies, RFC 6265 and 2965": _names("set-cookie set-cookie2"),
    "Clear Site Data": _names("clear-site-data"),
    "HTTP Strict Transport Security, RFC 6797": _names("strict-transport-security"),
    "Public Key Pinning, RFC 7469": _names("public-key-pins public-key-pins-report-only"),
    "Expect-CT, RFC 9163": _names("expect-ct"),
    "Alternative Services, RFC 7838": _names("alt-svc alternate-protocol"),
    "Network Error Logging, Reporting API": _names("nel report-to reporting-endpoints"),
    "Client Hints, RFC 8942": _names("accept-ch accept-ch-lifetime critical-ch"),
    "FedCM, Login Status API": _names("set-login idp-signin-status"),
    "Service Workers": _names("service-worker-allowed"),
    "Compression Dictionaries, RFC 9842": _names("use-as-dictionary"),
    "No-Vary-Search: answers for other queries": _names("no-vary-search"),
    "Storage Access Headers": _names("activate-storage-access"),
    "Topics": _names("observe-browsing-topics"),
    "Fetch: credentials; Private Network Access": _names(
        "access-control-allow-credentials access-control-allow-private-network"
        " access-control-allow-local-network private-network-access-id private-network-access-name"
    ),
    "HTML: of documents, and where they lead": _names(
        "origin-agent-cluster origin-trial refresh referrer-policy speculation-rules"
        " supports-loading-mode"
    ),
    "Policies of documents, most of which name who gets reports": _names(
        "document-isolation-policy feature-policy require-document-policy x-content-security-policy"
        " x-webkit-csp x-permitted-cross-domain-policies"
    ),
    "Source maps, ECMA-426": _names("sourcemap x-sourcemap"),
    "Servers in front, which go where it points": _names(
        "x-sendfile x-lighttpd-send-file x-litespeed-location x-reproxy-url"
    ),
}
_BEGINNINGS = (
    "ad-auction-",  # Protected Audience
    "attribution-reporting-",
    "content-security-policy",
    "cross-origin-",
    "document-policy",
    "integrity-policy",
    "permissions-policy",
    "sec-",  # Device Bound Session Credentials, Private State Tokens
    "secure-session-",
    "shared-storage-",
    "x-accel-",  # nginx
)
_NAMES = frozenset[str]().union(*_SOURCES.values())
_VALUES: Mapping[str, re.Pattern[str]] = {
    # RFC 8288: the relations by which a browser connects or loads, wherever in the value; others,
    # "next" among them, are for programs. An escape could hide one.
    "link": re.compile(r"\\|preconnect|prefetch|preload|prerender|compression-dictionary", re.I),
    # RFC 9110, 11.6.1: the schemes by which a browser asks its user, for all of the origin;
    # ``Bearer`` is for programs.
    "www-authenticate": re.compile(r"(?:^|,)\s*(?:basic|digest|negotiate|ntlm)\b", re.I),
}


def speaks_for_others(name: str, value: str) -> bool:
    """Return True if a browser applies the header, in any case, to more than its response."""
    low = name.strip().lower()
    if low in _NAMES or low.startswith(_BEGINNINGS):
        return True
    pattern = _VALUES.get(low)
    return pattern is not None and pattern.search(value) is not None
