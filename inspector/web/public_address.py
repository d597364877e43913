"""Which addresses the proxy may call: public ones, and those that the owner of the machine allows.

Asked twice, by one parser: when an upstream is saved (``read_base_url``), and of every address that
its name has when a call connects (``refusal_of``), because a name may have another address by then.
Knows no framework; the proxy's process imports it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

MAX_BASE_URL_CHARACTERS = 500
"""The width of the column."""
MAX_HOST_CHARACTERS = 253
"""255 octets on the wire, with a length before the first label and a zero at the end (RFC 1035)."""
MAX_PORT = 65_535

LOOPBACK = "a loopback address"
PRIVATE = "an address of a private network"
METADATA = "the metadata service of a cloud"
UNSPECIFIED = "an unspecified address"
MULTICAST = "a multicast or broadcast address"
LINK_LOCAL = "a link-local address"
TUNNEL = "an address of a tunnel, which hides another one"
NOT_PUBLIC = "no public address"


def _networks(*texts: str) -> tuple[Network, ...]:
    return tuple(ip_network(text) for text in texts)


# Never called, whatever is allowed: a private network that the operator lists may contain them.
_NEVER: tuple[tuple[tuple[Network, ...], str], ...] = (
    (
        _networks(
            "169.254.169.254/32",
            "169.254.170.2/32",
            "169.254.170.23/32",
            "100.100.100.200/32",
            "168.63.129.16/32",
            "192.0.0.192/32",
            "fd00:ec2::254/128",
            "fd00:ec2::23/128",
            "fd20:ce::254/128",
        ),
        METADATA,
    ),
    (_networks("0.0.0.0/8", "::/128"), UNSPECIFIED),
    (_networks("224.0.0.0/4", "255.255.255.255/32", "ff00::/8"), MULTICAST),
)
# The registries of special addresses: RFC 6890 and what IANA added to it.
_LOOPBACK = _networks("127.0.0.0/8", "::1/128")
_PRIVATE = _networks("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")
_LINK_LOCAL = _networks("169.254.0.0/16", "fe80::/10")
_TUNNELS = _networks("192.88.99.0/24", "2001::/32", "2002::/16", "64:ff9b:1::/48")
_NOT_PUBLIC = _networks(
    "100.64.0.0/10",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "240.0.0.0/4",
    "2001::/23",
    "2001:db8::/32",
    "3fff::/20",
)
_GLOBAL_UNICAST = IPv6Network("2000::/3")
# Prefixes whose last 32 bits are the IPv4 address that is reached in the end.
_EMBEDDING = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))
_ISATAP = frozenset({0x00005EFE, 0x02005EFE})


def refusal_of(address: str, allowed: Sequence[Network], is_local: bool = False) -> str | None:
    """Why an IP address is not called, as words that follow "it is"; None where it may be.

    ``allowed`` are the networks that the operator lists; ``is_local`` says that the owner of the
    machine added this upstream and so allows loopback and private addresses.
    """
    # A zone (``fe80::1%eth0``) chooses an interface and is no part of the address.
    ip = _parse(address.partition("%")[0])
    if ip is None:
        return "no IP address"
    reached = _reached(ip)
    for networks, reason in _NEVER:
        if _is_among(reached, networks):
            return reason
    if _is_among(ip, allowed) or _is_among(reached, allowed):
        return None
    return _special(reached, is_local)


def _special(ip: Address, is_local: bool) -> str | None:
    if _is_among(ip, _LOOPBACK):
        return None if is_local else LOOPBACK
    if _is_among(ip, _PRIVATE):
        return None if is_local else PRIVATE
    if _is_among(ip, _LINK_LOCAL):
        return LINK_LOCAL
    if _is_among(ip, _TUNNELS) or _is_isatap(ip):
        return TUNNEL
    if _is_among(ip, _NOT_PUBLIC):
        return NOT_PUBLIC
    return NOT_PUBLIC if ip.version == 6 and ip not in _GLOBAL_UNICAST else None


def _parse(address: str) -> Address | None:
    try:
        return ip_address(address)
    except ValueError:
        return None


def _reached(ip: Address) -> Address:
    """Return the IPv4 address that an IPv6 address leads to where machine or network translates."""
    if ip.version == 6 and any(ip in network for network in _EMBEDDING):
        return IPv4Address(int(ip) & 0xFFFF_FFFF)
    return ip


def _is_among(ip: Address, networks: Sequence[Network]) -> bool:
    return any(ip in network for network in networks)


def _is_isatap(ip: Address) -> bool:
    return ip.version == 6 and (int(ip) >> 32) & 0xFFFF_FFFF in _ISATAP


# -- base URLs ------------------------------------------------------------------------------------

# Narrower than RFC 3986 on purpose. Whatever has two readings (user names, backslashes, escapes,
# tabs, full-width letters, empty segments) is refused, so that what is left reads alike everywhere.
_BASE_URL = re.compile(
    r"(?P<scheme>(?i:https?))://"
    r"(?P<host>(?i:\[[0-9a-f:.]+\]|[a-z0-9._-]+))"
    r"(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<path>(?:/[A-Za-z0-9._~!$&'()*+,;=:@/-]*)?)",
    re.ASCII,
)
# As in "api-2" of "api-2.example".
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)
# As in "127" and "0x7f": parts of an address as some programs read it.
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
_DEFAULT_PORTS = {"https": 443, "http": 80}
_METADATA_NAMES = frozenset(
    {
        "metadata",
        "metadata.goog",
        "metadata.google.internal",
        "instance-data",
        "instance-data.ec2.internal",
    }
)
_LOOPBACK_NAMES = ("localhost", "localdomain")
_PRIVATE_SUFFIXES = ("internal", "local", "lan", "home", "corp", "intranet", "private", "arpa")


@dataclass(frozen=True, slots=True)
class BaseUrl:
    """The base address of an upstream: no user name, no query, no slash at the end."""

    scheme: str
    host: str
    """A name in small letters, or an IP address without brackets."""
    port: int
    path: str
    """Empty, or from its first slash."""

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}"


@dataclass(frozen=True, slots=True)
class BaseUrlRefusal:
    """Why a text is no base URL of an upstream: one sentence for the person who wrote it."""

    sentence: str


def read_base_url(
    text: str, allowed: Sequence[Network] = (), is_local: bool = False
) -> BaseUrl | BaseUrlRefusal:
    """Return the base URL in a text, in its one spelling, if its address may be called."""
    if len(text) > MAX_BASE_URL_CHARACTERS:
        return BaseUrlRefusal(f"The address is longer than {MAX_BASE_URL_CHARACTERS} characters.")
    found = _BASE_URL.fullmatch(text)
    if found is None:
        return BaseUrlRefusal(
            "The address must be https://, a host, and perhaps a port and a path; without a user"
            " name, query, fragment, backslash, escape or letters beyond ASCII."
        )
    scheme, host = found["scheme"].lower(), found["host"].lower().strip("[]")
    port = int(found["port"] or _DEFAULT_PORTS[scheme])
    if not 0 < port <= MAX_PORT:
        return BaseUrlRefusal(f"Ports are 1 to {MAX_PORT}.")
    path = found["path"].removesuffix("/")
    if any(segment in ("", ".", "..") for segment in path.split("/")[1:]):
        return BaseUrlRefusal("The path must have one reading: no “.”, “..” or “//” in it.")
    if refusal := _refusal_of_host(host, allowed, is_local):
        return BaseUrlRefusal(refusal)
    if scheme == "http" and not (allowed or is_local):
        return BaseUrlRefusal("The address must be https://: calls carry a provider's credential.")
    return BaseUrl(scheme, _as_spelled_once(host), port, path)


def _refusal_of_host(host: str, allowed: Sequence[Network], is_local: bool) -> str | None:
    if ":" in host or _ends_in_number(host):
        if _parse(host) is None:
            return "The host is neither a name nor an IP address in its usual form."
        reason = refusal_of(host, allowed, is_local)
        return reason and f"The host is {reason}."
    return _refusal_of_name(host, is_private_allowed=bool(allowed) or is_local)


def _ends_in_number(host: str) -> bool:
    """Tell an IPv4 address in any form: resolvers read such a host as an IPv4 address, whatever its
    form: ``127.1``, ``0x7f.1``.
    """
    return bool(_NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]))


def _refusal_of_name(host: str, is_private_allowed: bool) -> str | None:
    labels = host.split(".")
    if len(host) > MAX_HOST_CHARACTERS or not all(_LABEL.fullmatch(label) for label in labels):
        return "The host is no name: parts of letters, digits and hyphens, with single dots."
    if host in _METADATA_NAMES:
        return f"The host is {METADATA}."
    if is_private_allowed:
        return None
    if labels[-1] in _LOOPBACK_NAMES:
        return f"The host is {LOOPBACK}."
    if len(labels) == 1 or labels[-1] in _PRIVATE_SUFFIXES:
        return "The host is a name of a private network."
    return None


def _as_spelled_once(host: str) -> str:
    ip = _parse(host)
    return str(ip) if ip else host
