import pytest

from inspector.operations.up import address
from inspector.operations.up.address import ListenAddress, UpAddresses


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address.socket, "gethostname", lambda: "kiosk")
    monkeypatch.setattr(address.socket, "getfqdn", lambda: "kiosk.example")
    monkeypatch.setattr(address, "own_addresses", lambda: ["127.0.1.1"])
    monkeypatch.setattr(address, "outward_address", lambda listening: "192.0.2.9")


def test_loopback_is_reached_by_its_own_name() -> None:
    here = ListenAddress("127.0.0.1", 8000)
    assert (here.url, here.near_url, here.names()) == (
        "http://127.0.0.1:8000",
        "http://127.0.0.1:8000",
        [],
    )


def test_all_addresses_are_told_as_the_one_that_others_see() -> None:
    everywhere = ListenAddress("0.0.0.0", 8000)
    assert everywhere.url == "http://192.0.2.9:8000"
    assert everywhere.near_url == "http://127.0.0.1:8000"
    assert everywhere.names() == ["127.0.1.1", "192.0.2.9", "kiosk", "kiosk.example"]


def test_without_a_network_all_addresses_are_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "outward_address", lambda listening: None)
    assert ListenAddress("0.0.0.0", 8000).url == "http://127.0.0.1:8000"


def test_an_address_of_version_six_stands_in_brackets() -> None:
    assert ListenAddress("::1", 8000).url == "http://[::1]:8000"
    assert ListenAddress("fd00::5", 8000).names() == ["[fd00::5]"]


def test_who_does_not_answer_yet_is_named() -> None:
    nobody = ListenAddress("127.0.0.1", 1)
    assert UpAddresses(nobody, nobody.url, nobody, nobody.url).not_ready() == ["web", "proxy"]
    assert UpAddresses(nobody, nobody.url).not_ready() == ["web"]
