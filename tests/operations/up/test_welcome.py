"""Lines that ``up`` prints once everything answers."""

from pathlib import Path

import pytest
from django.conf import LazySettings

from inspector.operations.up.address import ListenAddress, UpAddresses
from inspector.operations.up.welcome import FirstStart, welcome_text

WEB, PROXY = ListenAddress("127.0.0.1", 8000), ListenAddress("127.0.0.1", 8001)
WITH_PROXY = UpAddresses(WEB, WEB.url, PROXY, PROXY.url)
WITHOUT_PROXY = UpAddresses(WEB, WEB.url)
FIRST = FirstStart("/sign-in/link/", "ri_reads", "ri_captures")


@pytest.fixture(autouse=True)
def in_the_usual_folder(settings: LazySettings) -> None:
    settings.DATA_DIR = Path(settings.BASE_DIR) / "var"


def test_a_first_start_shows_the_line_that_captures_what_a_program_calls() -> None:
    shown = welcome_text(WITH_PROXY, FIRST).splitlines()
    line = "    OPENAI_BASE_URL=http://127.0.0.1:8001/proxy/ri_captures/openai/v1"
    assert line in shown
    assert sum("ri_captures" in each for each in shown) == 1


def test_a_later_start_shows_where_the_proxy_is_and_how_to_make_a_key_for_it() -> None:
    shown = welcome_text(WITH_PROXY, None)
    assert "OPENAI_BASE_URL=http://127.0.0.1:8001/proxy/KEY/openai/v1\n" in shown
    made = "python3 manage.py create_api_key --team default --name NAME --scope capture\n"
    assert made in shown


@pytest.mark.parametrize("first", [FirstStart("/sign-in/link/", "ri_reads"), None])
def test_without_a_proxy_nothing_is_said_of_one(first: FirstStart | None) -> None:
    shown = welcome_text(WITHOUT_PROXY, first)
    assert "OPENAI_BASE_URL" not in shown and "capture" not in shown.replace("/captures/", "")


def test_behind_another_door_the_line_names_that_door() -> None:
    addresses = UpAddresses(WEB, WEB.url, PROXY, "https://inspector.example")
    shown = welcome_text(addresses, FIRST)
    assert "OPENAI_BASE_URL=https://inspector.example/proxy/ri_captures/openai/v1" in shown
