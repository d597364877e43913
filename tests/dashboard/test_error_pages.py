"""Answers of a page where no view expected the error."""

from typing import Any

import pytest
from django.db import DataError, OperationalError
from django.test import Client

from inspector.archive.storage.disk_space import DiskNearlyFull
from inspector.dashboard import error_pages, idle_timeout
from inspector.teams.sign_in_links import create_link
from tests.people import Person


@pytest.fixture
def link(owner: Person) -> str:
    return create_link(owner.user)


def sign_in_failing_with(error: Exception, link: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    def fail(*args: object) -> None:
        raise error

    with monkeypatch.context() as broken:
        broken.setattr(idle_timeout, "start_idle_timer", fail)
        return Client(raise_request_exception=False).post(link)


def test_a_busy_database_is_told_apart_from_a_fault(
    link: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = sign_in_failing_with(OperationalError("database is locked"), link, monkeypatch)
    assert (answer.status_code, answer["Retry-After"]) == (503, "1")
    assert b"The database is busy" in answer.content
    assert b"locked" not in answer.content


def test_a_full_disk_is_told_as_one(link: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = sign_in_failing_with(DiskNearlyFull(), link, monkeypatch)
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert b"The disk is full" in answer.content


@pytest.mark.parametrize("error", [ValueError("secret"), DataError("secret")])
def test_a_fault_of_ours_shows_nothing_of_itself(
    error: Exception, link: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = sign_in_failing_with(error, link, monkeypatch)
    assert answer.status_code == 500
    assert "Retry-After" not in answer
    assert b"Something broke" in answer.content and b"secret" not in answer.content


def test_page_of_an_error_needs_no_static_files(link: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(path: str) -> str:
        raise ValueError(f"Missing staticfiles manifest entry for '{path}'")

    monkeypatch.setattr(error_pages, "static", missing)
    answer = sign_in_failing_with(ValueError("secret"), link, monkeypatch)
    assert answer.status_code == 500
    assert b"Something broke" in answer.content and b"stylesheet" not in answer.content


@pytest.mark.django_db
def test_a_link_whose_session_could_not_be_stored_still_works(
    link: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sign_in_failing_with(OperationalError("busy"), link, monkeypatch).status_code == 503
    assert Client().post(link).status_code == 302
