"""Whose word about a client is believed."""

from ipaddress import ip_network

import pytest
from django.conf import LazySettings
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from inspector.web.client_address import client_address_middleware, client_network_of

PROXY, CLIENT = "192.0.2.7", "198.51.100.4"


def came(**told: str) -> HttpRequest:
    """The request as everything behind the middleware sees it."""
    found: list[HttpRequest] = []

    def keeps(request: HttpRequest) -> HttpResponse:
        found.append(request)
        return HttpResponse()

    client_address_middleware(keeps)(RequestFactory().get("/", **told))
    return found[0]


def address(own: str, forwarded: str) -> str:
    return str(came(REMOTE_ADDR=own, HTTP_X_FORWARDED_FOR=forwarded).META["REMOTE_ADDR"])


@pytest.fixture
def proxied(settings: LazySettings) -> LazySettings:
    settings.IS_EMBEDDED = True
    settings.TRUSTED_PROXIES = (ip_network("192.0.2.0/24"), ip_network("2001:db8::/32"))
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    return settings


def test_nobody_is_believed_unless_the_settings_name_them(settings: LazySettings) -> None:
    settings.IS_EMBEDDED, settings.TRUSTED_PROXIES = True, ()
    assert address(CLIENT, "203.0.113.9") == CLIENT


@pytest.mark.parametrize(
    ("own", "forwarded", "client"),
    [
        (PROXY, CLIENT, CLIENT),
        (PROXY, f"203.0.113.9, {CLIENT}", CLIENT),
        (PROXY, f"{CLIENT}, 192.0.2.8", CLIENT),
        (PROXY, f"203.0.113.9, {CLIENT}, 192.0.2.8", CLIENT),
        (PROXY, "", PROXY),
        (PROXY, "unknown", PROXY),
        (PROXY, f"{CLIENT}, <script>", PROXY),
        (CLIENT, "203.0.113.9", CLIENT),
        (f"::ffff:{PROXY}", CLIENT, CLIENT),
        ("2001:db8::1", "2001:DB9::5", "2001:db9::5"),
        ("", CLIENT, ""),
    ],
)
def test_the_last_hop_that_is_no_proxy_is_the_client(
    proxied: LazySettings, own: str, forwarded: str, client: str
) -> None:
    assert address(own, forwarded) == client


def test_the_scheme_is_what_a_proxy_says_and_nobody_else(proxied: LazySettings) -> None:
    assert came(REMOTE_ADDR=PROXY, HTTP_X_FORWARDED_PROTO="https").is_secure()
    assert came(REMOTE_ADDR=PROXY, HTTP_X_FORWARDED_PROTO="http, https").is_secure()
    assert not came(REMOTE_ADDR=PROXY, HTTP_X_FORWARDED_PROTO="https, http").is_secure()
    assert not came(REMOTE_ADDR=CLIENT, HTTP_X_FORWARDED_PROTO="https").is_secure()


def test_behind_nginx_its_header_is_the_address(settings: LazySettings) -> None:
    settings.IS_EMBEDDED = False
    request = came(REMOTE_ADDR=PROXY, HTTP_X_REAL_IP=CLIENT, HTTP_X_FORWARDED_FOR="203.0.113.9")
    assert request.META["REMOTE_ADDR"] == CLIENT


@pytest.mark.parametrize(
    ("own", "asker"), [(CLIENT, CLIENT), ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"), ("x", "x")]
)
def test_a_network_of_ipv6_is_one_asker(own: str, asker: str) -> None:
    assert client_network_of(RequestFactory().get("/", REMOTE_ADDR=own)) == asker
