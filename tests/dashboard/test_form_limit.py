"""Limits of a form, looked at before anybody reads it."""

from io import BytesIO

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from django.urls import resolve

from inspector.dashboard import middleware
from inspector.dashboard.middleware import FormLimit
from inspector.teams.authorisation import FORM_BYTES
from inspector.web.client_timeout import NoWaitSlot
from tests.people import Person

SIGN_IN, PASTE = "/sign-in/", "/paste/"


class NeverRead(BytesIO):
    def read(self, size: int | None = -1) -> bytes:
        raise AssertionError("somebody read it")


class Silent(BytesIO):
    """As a body that did not come in time."""

    def read(self, size: int | None = -1) -> bytes:
        raise TimeoutError


def looked_at(path: str, stream: BytesIO, length: int) -> HttpResponse | None:
    request = posted(path, stream, length)
    assert request.resolver_match is not None
    limit = FormLimit(lambda request: HttpResponse())
    return limit.process_view(request, request.resolver_match.func, (), {})


def posted(path: str, stream: BytesIO, length: int) -> HttpRequest:
    request = RequestFactory().post(
        path, CONTENT_TYPE="application/x-www-form-urlencoded", CONTENT_LENGTH=str(length)
    )
    request._stream = stream
    request.resolver_match = resolve(path)
    request.session = {}
    return request


def status(answer: HttpResponse | None) -> int | None:
    return answer.status_code if answer else None


def test_a_stranger_has_small_forms_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(middleware, "get_user", lambda request: AnonymousUser())
    answer = looked_at(PASTE, NeverRead(), FORM_BYTES + 1)
    assert answer is not None and answer.status_code == 413
    assert answer.content.startswith(b"Sign in first")
    assert status(looked_at(SIGN_IN, NeverRead(), FORM_BYTES + 1)) == 413
    assert looked_at(PASTE, BytesIO(b"content=1"), 9) is None


def test_whoever_signed_in_may_paste_more(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(middleware, "get_user", lambda request: owner.user)
    assert looked_at(PASTE, BytesIO(b"a" * (FORM_BYTES + 1)), FORM_BYTES + 1) is None
    assert status(looked_at(SIGN_IN, NeverRead(), FORM_BYTES + 1)) == 413


def test_a_form_that_does_not_come_is_no_form() -> None:
    assert status(looked_at(SIGN_IN, Silent(), 10)) == 408
    assert status(looked_at(SIGN_IN, BytesIO(b"user"), 10)) == 400


def test_where_too_many_are_waited_for_it_is_to_be_sent_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(*_: object) -> bool:
        raise NoWaitSlot

    monkeypatch.setattr(middleware, "finishes_within", full)
    answer = looked_at(SIGN_IN, NeverRead(), 10)
    assert answer is not None and (answer.status_code, answer["Retry-After"]) == (503, "1")
