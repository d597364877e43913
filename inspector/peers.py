"""Who is at the other end: the connection's address, or the one that a proxy tells of its client.

What anybody may write about themselves is believed from nobody. Behind nginx of the production
stack every connection is nginx's, which overwrites it; the embedded stack believes those proxies
that its settings name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest, HttpResponse

GetResponse = Callable[[HttpRequest], HttpResponse]
Networks = Iterable[IPv4Network | IPv6Network]

NETWORK_BITS = 64
"""Whoever has one address of IPv6 has as many as they like in the same network."""


def client_of(get_response: GetResponse) -> GetResponse:
    """Outermost: from here on ``REMOTE_ADDR`` is the client's, and the scheme the one it used."""

    def middleware(request: HttpRequest) -> HttpResponse:
        told = request.META
        own: str = told.get("REMOTE_ADDR", "")
        if not settings.IS_EMBEDDED:
            told["REMOTE_ADDR"] = told.get("HTTP_X_REAL_IP", own)
        elif is_among(own, settings.TRUSTED_PROXIES):
            hops = told.get("HTTP_X_FORWARDED_FOR", "").split(",")
            told["REMOTE_ADDR"] = last_stranger(own, hops, settings.TRUSTED_PROXIES)
            scheme = told.get("HTTP_X_FORWARDED_PROTO", "")
            told["HTTP_X_FORWARDED_PROTO"] = scheme.rpartition(",")[2].strip()
        else:
            told.pop("HTTP_X_FORWARDED_PROTO", None)
        return get_response(request)

    return middleware


def last_stranger(own: str, hops: list[str], trusted: Networks) -> str:
    """Each proxy appends whom it was asked by: the last of them that is no proxy itself.

    What stands before it is that client's own word.
    """
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


def asker_of(request: HttpRequest) -> str:
    """Whose requests are counted together."""
    return network_of(request.META.get("REMOTE_ADDR", ""))


def _ip(address: str) -> IPv4Address | IPv6Address | None:
    try:
        ip = ip_address(address)
    except ValueError:
        return None
    return ip.ipv4_mapped or ip if isinstance(ip, IPv6Address) else ip
