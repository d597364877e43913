"""Addresses that the proxy may call, and every spelling that must not hide another one."""

import subprocess
import sys
from ipaddress import ip_network

import pytest

from inspector.web.public_address import BaseUrl, BaseUrlRefusal, read_base_url, refusal_of

REFUSED_ADDRESSES = [
    "127.0.0.1",
    "127.0.0.53",
    "127.255.255.254",
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "169.254.169.254",
    "169.254.170.2",
    "169.254.170.23",
    "169.254.1.1",
    "100.64.0.1",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.1.2.3",
    "::ffff:169.254.169.254",
    "::ffff:7f00:1",
    "::ffff:0.0.0.0",
    "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::127.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b::10.0.0.1",
    "64:ff9b:1::1",
    "2002:7f00:1::",
    "2002:a9fe:a9fe::1",
    "2002:808:808::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:0:7f00:1::1",
    "2001:20::1",
    "2001:db8::1",
    "3fff::1",
    "100::1",
    "5f00::1",
    "fc00::1",
    "fd12:3456::1",
    "fd00:ec2::254",
    "fd00:ec2::23",
    "fd20:ce::254",
    "fe80::1",
    "fe80::1%eth0",
    "::1%lo",
    "fec0::1",
    "ff02::1",
    "ff0e::1",
    "4000::1",
    "2606:4700::5efe:127.0.0.1",
    "2606:4700::200:5efe:10.0.0.1",
    "0",
    "0x7f000001",
    "2130706433",
    "127.1",
    "0177.0.0.1",
    "127.0.0.1.",
    "localhost",
    "1.1.1.1:80",
    "[::1]",
]
PUBLIC_ADDRESSES = [
    "1.1.1.1",
    "8.8.8.8",
    "104.18.7.192",
    "9.255.255.255",
    "11.0.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "169.253.255.255",
    "223.255.255.255",
    "2606:4700::6810:1",
    "2a00:1450:4001::1",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "2001:4860:4860::8888",
]


def test_an_address_that_is_not_public_is_refused() -> None:
    assert [address for address in REFUSED_ADDRESSES if not refusal_of(address, [])] == []


def test_a_public_address_is_called() -> None:
    assert [address for address in PUBLIC_ADDRESSES if refusal_of(address, []) is not None] == []


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("127.0.0.1", "a loopback address"),
        ("::ffff:10.1.2.3", "an address of a private network"),
        ("64:ff9b::a9fe:a9fe", "the metadata service of a cloud"),
        ("fe80::1", "a link-local address"),
        ("2002:808:808::1", "an address of a tunnel, which hides another one"),
        ("0.0.0.0", "an unspecified address"),
        ("ff02::1", "a multicast or broadcast address"),
        ("203.0.113.9", "no public address"),
        ("localhost", "no IP address"),
    ],
)
def test_the_refusal_names_what_the_address_is(address: str, reason: str) -> None:
    assert refusal_of(address, []) == reason


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "192.168.1.5", "fd12::1", "::ffff:7f00:1"])
def test_an_upstream_of_this_machine_may_be_loopback_or_private(address: str) -> None:
    assert refusal_of(address, [], is_local=True) is None


@pytest.mark.parametrize(
    "address", ["169.254.169.254", "fd00:ec2::254", "169.254.1.1", "0.0.0.0", "ff02::1", "2002::1"]
)
def test_an_upstream_of_this_machine_is_no_metadata_service_or_tunnel(address: str) -> None:
    assert refusal_of(address, [], is_local=True)


def test_a_network_that_the_operator_lists_is_called_and_its_neighbour_is_not() -> None:
    networks = [ip_network("10.1.0.0/16"), ip_network("fd12::/16")]

    assert refusal_of("10.1.2.3", networks) is None
    assert refusal_of("::ffff:10.1.2.3", networks) is None
    assert refusal_of("fd12::9", networks) is None
    assert refusal_of("10.2.0.1", networks)


@pytest.mark.parametrize("address", ["169.254.169.254", "fd00:ec2::254", "0.0.0.0", "224.0.0.1"])
def test_no_list_of_networks_opens_a_metadata_service(address: str) -> None:
    everything = [ip_network("0.0.0.0/0"), ip_network("::/0")]

    assert refusal_of(address, everything)


REFUSED_URLS = [
    "http://127.0.0.1",
    "https://127.0.0.1",
    "https://localhost",
    "https://localhost.",
    "https://LOCALHOST:8000",
    "https://a.localhost",
    "https://localhost.localdomain",
    "https://0",
    "https://0.",
    "https://0x7f000001",
    "https://0X7F.1",
    "https://0x7f.0.0.1",
    "https://0x",
    "https://2130706433",
    "https://017700000001",
    "https://0177.0.0.1",
    "https://127.1",
    "https://127.0.1",
    "https://127.0.0.1.",
    "https://127.0.0.01",
    "https://1.1.1.1.1",
    "https://256.1.1.1",
    "https://api.example.1",
    "https://[::1]",
    "https://[::]",
    "https://[0:0:0:0:0:0:0:1]",
    "https://[::ffff:127.0.0.1]",
    "https://[::ffff:169.254.169.254]",
    "https://[::FFFF:A9FE:A9FE]",
    "https://[64:ff9b::7f00:1]",
    "https://[2002:7f00:1::]",
    "https://[fe80::1%25eth0]",
    "https://[fe80::1%eth0]",
    "https://[::1",
    "https://::1",
    "https://[v1.a]",
    "https://169.254.169.254/latest",
    "https://metadata.google.internal",
    "https://metadata.google.internal.",
    "https://METADATA",
    "https://instance-data",
    "https://10.0.0.1",
    "https://db",
    "https://vault.internal",
    "https://printer.local",
    "https://good@evil.example",
    "https://good:pass@evil.example",
    "https://@evil.example",
    "https://good\\@evil.example",
    "https:\\\\evil.example",
    "https://good#@evil.example",
    "https://good.example#evil",
    "https://good.example?x=1",
    "https://good.example?",
    "https://ｅvil.example",
    "https://evil。example",
    "https://münchen.example",
    "https://\u212aelvin.example",
    "https://e\tvil.example",
    "https://e\nvil.example",
    "https://e\rvil.example",
    "https://evil.example\n",
    " https://evil.example",
    "https://evil.example ",
    "https://ev il.example",
    "https://e\0vil.example",
    "https://e\u200bvil.example",
    "https://e\u00advil.example",
    "https://%65vil.example",
    "https://127%2e0%2e0%2e1",
    "https://evil..example",
    "https://.evil.example",
    "https://evil.example.",
    "https://-evil.example",
    "https://evil-.example",
    f"https://{'a' * 64}.example",
    "https://" + "a." * 130 + "example",
    "https://evil.example:0",
    "https://evil.example:65536",
    "https://evil.example:",
    "https://evil.example:80:80",
    "https://evil.example:+80",
    "https://evil.example:٨٠",
    "https://evil.example/v1/../../admin",
    "https://evil.example/..",
    "https://evil.example/.",
    "https://evil.example/%2e%2e/admin",
    "https://evil.example//v1",
    "https://evil.example/v1//",
    "https://evil.example/a\\b",
    "https://evil.example/{deployment}",
    "https:///evil.example",
    "https:/evil.example",
    "https:evil.example",
    "//evil.example",
    "evil.example",
    "https://",
    "",
    "ftp://evil.example",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "http://api.example.com",
    "https://evil.example/" + "a" * 500,
]


def test_a_base_url_with_a_second_reading_or_a_private_host_is_refused() -> None:
    for text in REFUSED_URLS:
        found = read_base_url(text)
        assert isinstance(found, BaseUrlRefusal), text
        assert found.sentence.endswith(".")


@pytest.mark.parametrize(
    ("text", "spelled_once"),
    [
        ("https://api.openai.com", "https://api.openai.com"),
        ("https://api.openai.com/v1/", "https://api.openai.com/v1"),
        ("HTTPS://API.Example.COM:443/Path/V1", "https://api.example.com/Path/V1"),
        ("https://host_1.example:8443/a.b~c@d", "https://host_1.example:8443/a.b~c@d"),
        ("https://xn--mnchen-3ya.example/", "https://xn--mnchen-3ya.example"),
        ("https://8.8.8.8:8443", "https://8.8.8.8:8443"),
        ("https://[2606:4700:0:0::6810:1]/v1", "https://[2606:4700::6810:1]/v1"),
        ("https://a.example/..v1/v1..", "https://a.example/..v1/v1.."),
    ],
)
def test_a_public_base_url_is_kept_in_one_spelling(text: str, spelled_once: str) -> None:
    found = read_base_url(text)

    assert str(found) == spelled_once
    assert read_base_url(spelled_once) == found


def test_a_base_url_states_its_parts() -> None:
    assert read_base_url("https://Api.example/v1/") == BaseUrl("https", "api.example", 443, "/v1")


@pytest.mark.parametrize(
    "text",
    ["http://127.0.0.1:11434", "http://localhost:8080/v1", "http://ollama:11434", "http://[::1]:9"],
)
def test_the_owner_of_the_machine_may_add_a_server_of_this_machine(text: str) -> None:
    assert str(read_base_url(text, is_local=True)) == text


@pytest.mark.parametrize(
    "text",
    [
        "http://169.254.169.254",
        "http://metadata.google.internal",
        "http://0",
        "http://0x7f000001",
        "http://127.1",
        "http://localhost.",
        "http://user@localhost",
    ],
)
def test_a_server_of_this_machine_has_one_spelling_too(text: str) -> None:
    assert isinstance(read_base_url(text, is_local=True), BaseUrlRefusal)


def test_a_listed_network_opens_its_addresses_and_private_names_but_no_others() -> None:
    networks = [ip_network("10.1.0.0/16")]

    assert str(read_base_url("http://10.1.2.3:8000", networks)) == "http://10.1.2.3:8000"
    # What the name resolves to is checked when a call connects.
    assert str(read_base_url("http://vllm.internal", networks)) == "http://vllm.internal"
    assert isinstance(read_base_url("http://10.2.0.1", networks), BaseUrlRefusal)
    assert isinstance(read_base_url("http://127.0.0.1", networks), BaseUrlRefusal)


def test_the_policy_needs_nothing_but_the_standard_library() -> None:
    code = (
        "import sys, inspector.web.public_address as p; "
        "print(sorted({m.split('.')[0] for m in sys.modules} & {'django', 'msgspec', 'aiohttp'}))"
    )

    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert found.stdout.strip() == "[]"
