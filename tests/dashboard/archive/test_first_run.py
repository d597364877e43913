"""The page of an archive that holds nothing."""

import pytest
from django.conf import settings as known

from inspector.archive.queries import for_principal
from tests.archive.samples import inspect_all
from tests.people import Person

ARCHIVE, LOAD = "/t/default/captures/", "/t/default/captures/samples/"


def test_an_empty_archive_begins_with_a_key_and_samples_and_folds_the_command(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known, "PROXY_ORIGIN", "http://127.0.0.1:8001")
    html = owner.page(ARCHIVE)
    places = [html.index(each) for each in ("Connect a service</a>", "Load samples", "Create key")]
    assert places == sorted(places)
    assert html.index("Create key") < html.index("<details>\n      <summary>Send one response")
    assert html.index("<summary>Send one response") < html.index("curl -sS")


def test_samples_are_loaded_once_by_whoever_may_send(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    assert stranger.browser().post(LOAD).status_code == 404
    for person in (teammate, owner):
        answer = person.browser().post(LOAD)
        assert (answer.status_code, answer.headers["Location"]) == (302, ARCHIVE)
    inspect_all()
    assert len(for_principal(owner.principal).page().rows) == 8
    assert "These are samples." in owner.page(ARCHIVE)
