"""The client's address: the connection's own, or the one that a trusted proxy reports.

Addresses that a client states itself are never used. In the production stack every connection comes
from nginx, which overwrites the header; the embedded stack trusts the proxies in its settings.
"""

from collections.abc import Callable, Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest, HttpResponse

GetResponse = Callable[[HttpRequest], HttpResponse]
Networks = Iterable[IPv4Network | IPv6Network]

# Who has one IPv6 address has the whole network it is in.
NETWORK_BITS = 64


def client_address_middleware(get_response: GetResponse) -> GetResponse:
    """Set ``REMOTE_ADDR`` and the scheme to the client's. Outermost middleware."""

    def middleware(request: HttpRequest) -> HttpResponse:
        meta = request.META
        own: str = meta.get("REMOTE_ADDR", "")
        if not settings.IS_EMBEDDED:
            meta["REMOTE_ADDR"] = meta.get("HTTP_X_REAL_IP", own)
        elif is_among(own, settings.TRUSTED_PROXIES):
            hops = meta.get("HTTP_X_FORWARDED_FOR", "").split(",")
            meta["REMOTE_ADDR"] = last_untrusted_hop(own, hops, settings.TRUSTED_PROXIES)
            scheme = meta.get("HTTP_X_FORWARDED_PROTO", "")
            meta["HTTP_X_FORWARDED_PROTO"] = scheme.rpartition(",")[2].strip()
        else:
            # Nobody trusted stands before this server, so the header is the client's own claim.
            meta.pop("HTTP_X_FORWARDED_PROTO", None)
        return get_response(request)

    return middleware


def last_untrusted_hop(own: str, hops: list[str], trusted: Networks) -> str:
    # Each proxy appends the address of its peer: the last one that is no trusted proxy is the
    # client. Whatever stands before it was written by that client.
    nearest = own
    for hop in reversed(hops):
        if not is_among(nearest, trusted) or _ip(hop.strip()) is None:
            break
        nearest = str(_ip(hop.strip()))
    return nearest


def is_among(address: str, networks: Networks) -> bool:
    ip = _ip(address)
    return ip is not None and any(ip in network for network in networks)


def network_of(address: str) -> str:
    ip = _ip(address)
    if ip is None:
        return address
    return str(ip if ip.version == 4 else ip_network((ip, NETWORK_BITS), strict=False))


def client_network_of(request: HttpRequest) -> str:
    """Return the client's network, the unit of rate limits."""
    return network_of(request.META.get("REMOTE_ADDR", ""))


def _ip(address: str) -> IPv4Address | IPv6Address | None:
    try:
        ip = ip_address(address)
    except ValueError:
        return None
    # A dual-stack socket reports IPv4 clients as ``::ffff:192.0.2.1``: the same client either way.
    return ip.ipv4_mapped or ip if isinstance(ip, IPv6Address) else ip
