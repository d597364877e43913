"""Commands that pages print: typed as they stand they work on this archive, and no other."""

import html
import re
import shlex
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.test import Client

from inspector.installation import default_data_dir
from tests.people import Person

TEMPLATES = Path(__file__).parents[2] / "templates"
WITHOUT_ARCHIVE = ("inspect", "tee")
"""Commands that open none."""
PAGES = {
    "/t/default/captures/": ("create_api_key", "up", "proxy"),
    "/t/default/upstreams/": ("add_upstream", "up", "proxy"),
    "/t/default/team/audit/": ("verify_audit",),
}


@pytest.fixture(autouse=True)
def embedded(settings: LazySettings) -> None:
    settings.IS_EMBEDDED, settings.PROXY_ORIGIN = True, ""


def commands_of(asker: Client, path: str) -> dict[str, list[str]]:
    """The words of each command on a page, by its name."""
    page = html.unescape(asker.get(path).content.decode())
    lines = re.findall(r"manage\.py ([^<\n]*?)(?:\)\" \\)?(?=<|\n)", page)
    return {words[0]: words for words in map(shlex.split, lines)}


@pytest.mark.parametrize(("path", "names"), PAGES.items())
def test_a_command_for_the_archive_names_its_directory(
    owner: Person, settings: LazySettings, path: str, names: tuple[str, ...]
) -> None:
    settings.DATA_DIR = Path("/srv/data of olga's")
    told = commands_of(owner.browser(), path)
    assert set(names) <= set(told)
    for name in names:
        assert told[name][-2:] == ["--data-dir", "/srv/data of olga's"]


@pytest.mark.parametrize(("path", "names"), PAGES.items())
def test_in_the_usual_directory_or_a_database_of_its_own_none_is_named(
    owner: Person, settings: LazySettings, path: str, names: tuple[str, ...]
) -> None:
    for settings.IS_EMBEDDED, settings.DATA_DIR in (
        (True, default_data_dir()),
        (False, Path("/elsewhere")),
    ):
        told = commands_of(owner.browser(), path)
        assert set(names) - {"add_upstream"} <= set(told)
        assert not any("--data-dir" in words for words in told.values())


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("data", "command"),
    [
        (Path("/home/olga/data"), "sign_in_link --data-dir DIRECTORY"),
        (default_data_dir(), "sign_in_link"),
    ],
)
def test_whoever_is_not_signed_in_is_not_told_where_the_data_is(
    client: Client, settings: LazySettings, data: Path, command: str
) -> None:
    settings.DATA_DIR = data
    for answer in (client.get("/sign-in/"), client.post("/sign-in/never-made/")):
        page = answer.content.decode()
        assert f"manage.py {command}</pre>" in page
        assert "olga" not in page


def test_a_command_that_opens_no_archive_names_no_directory(
    owner: Person, settings: LazySettings
) -> None:
    settings.DATA_DIR = Path("/srv/data")
    assert commands_of(owner.browser(), "/t/default/captures/")["inspect"] == [
        "inspect",
        "response.sse",
    ]


def test_every_template_prints_commands_for_the_archive_with_its_directory() -> None:
    typed = {
        (path.name, name)
        for path in TEMPLATES.rglob("*.html")
        for name in re.findall(r'{% command_line "(\w+)', path.read_text())
    }
    assert {name for _, name in typed} <= set(WITHOUT_ARCHIVE)
