"""The module for pages, as the installation hands it out, and the key that it needs."""

import re

import pytest

from inspector.teams.models import ApiKey
from tests.people import Person, ask


def test_every_file_that_the_module_imports_is_handed_out_to_any_page(db: None) -> None:
    wanted, found = ["index.js"], dict[str, str]()
    while wanted:
        name = wanted.pop()
        answer = ask("GET", f"/clients/page/{name}", headers={"Origin": "https://app.example"})
        assert answer.status == 200, name
        assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        found[name] = answer.body.decode()
        named = re.findall(r'^(?:im|ex)port .* from "(.+)";$', found[name], re.MULTILINE)
        assert all(each.startswith("./") for each in named), named
        wanted += [each[2:] for each in named if each[2:] not in found]
    assert {"capture.js", "credentials.js", "recording.js"} <= set(found)


@pytest.mark.parametrize("name", ["connect.js", "..%2fpackage.json", "package.json", "index.d.ts"])
def test_nothing_else_is(db: None, name: str) -> None:
    assert ask("GET", f"/clients/page/{name}").status == 404


def made(owner: Person, origins: str) -> str:
    form = {"name": "shop", "way": "page", "origins": origins}
    return owner.browser().post("/t/default/connect/key/?with=page", form).content.decode()


def test_a_key_of_pages_is_made_with_their_origins_and_stands_in_the_lines(owner: Person) -> None:
    page = made(owner, "https://app.example https://b.example:8443")
    key = ApiKey.objects.get(name="shop")
    assert (key.scopes, key.origins) == (
        ["ingest"],
        ["https://app.example", "https://b.example:8443"],
    )
    assert re.search(r"window\.fetch = capture\(window\.fetch, .*ri_", page)


@pytest.mark.parametrize("origins", ["", "app.example", "*", "https://app.example/page"])
def test_without_an_origin_no_key_is_made(owner: Person, origins: str) -> None:
    assert "No key was made." in made(owner, origins)
    assert not ApiKey.objects.filter(name="shop").exists()
