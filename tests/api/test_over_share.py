"""What is over a sender's half is refused with the way out, before anything is asked of it."""

import json

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from api.over_share import refuse_over_share
from inspector.web.turns import OVER_SHARE


def answered(path: str, **environ: bool) -> HttpResponse:
    def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse("stored")

    request = RequestFactory().post(path, b"{}", content_type="text/plain")
    request.META |= environ
    return refuse_over_share(view)(request)


def test_an_upload_over_the_share_is_refused_by_a_code_that_says_to_send_it_again() -> None:
    refused = answered("/api/v1/captures/file/", **{OVER_SHARE: True})
    assert (refused.status_code, refused["Retry-After"]) == (429, "1")
    assert json.loads(refused.content)["error"]["code"] == "too_many_uploads"


@pytest.mark.parametrize("path", ["/v1/traces", "/paste/"])
def test_elsewhere_a_sentence_says_it(path: str) -> None:
    refused = answered(path, **{OVER_SHARE: True})
    assert (refused.status_code, refused["Retry-After"]) == (429, "1")
    assert refused.content.startswith(b"Other uploads of this sender")


def test_others_go_on() -> None:
    assert answered("/api/v1/captures/file/").content == b"stored"
