import json

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from api.middleware import GetResponse, is_api, json_errors


def answered(path: str, get_response: GetResponse, body: bytes = b"") -> HttpResponse:
    return json_errors(get_response)(RequestFactory().post(path, body, content_type="text/plain"))


def page(status: int) -> GetResponse:
    return lambda request: HttpResponse("<h1>no</h1>", status=status)


@pytest.mark.parametrize(
    ("path", "is_of_api"),
    [
        ("/api", True),
        ("/api/v1/", True),
        ("/livez", True),
        ("/readyz", True),
        ("/apix/", False),
        ("/captures/api/", False),
        ("/", False),
    ],
)
def test_which_paths_are_the_apis(path: str, is_of_api: bool) -> None:
    assert is_api(path) is is_of_api


@pytest.mark.parametrize("status", [400, 403, 404, 405, 413, 500, 502])
def test_a_page_of_refusal_becomes_json_below_api_and_stays_a_page_elsewhere(status: int) -> None:
    response = answered("/api/x", page(status))
    assert response.status_code == status
    assert set(json.loads(response.content)["error"]) == {"code", "message", "request_id"}
    assert answered("/x", page(status)).content == b"<h1>no</h1>"


def test_what_nobody_caught_is_caught_here() -> None:
    def fails(request: HttpRequest) -> HttpResponse:
        raise RuntimeError("CANARY")

    response = answered("/api/x", fails)
    assert response.status_code == 500
    assert b"CANARY" not in response.content


def test_an_answer_that_is_no_refusal_is_left_alone() -> None:
    assert answered("/api/x", page(200)).content == b"<h1>no</h1>"


def test_a_refused_body_is_read_to_its_end_so_that_the_client_gets_to_the_answer() -> None:
    requests: list[HttpRequest] = []

    def refuses(request: HttpRequest) -> HttpResponse:
        requests.append(request)
        return HttpResponse(status=413)

    answered("/api/x", refuses, b"a" * 200_000)
    assert requests[0].read() == b""


@pytest.mark.parametrize("given", ["0123456789abcdef", "a.b_c-d.1", "A" * 64])
def test_a_clients_own_request_id_is_kept_where_it_is_a_plain_word(given: str) -> None:
    request = RequestFactory().get("/api/x", headers={"X-Request-ID": given})
    response = json_errors(page(404))(request)
    assert response["X-Request-ID"] == given
    assert json.loads(response.content)["error"]["request_id"] == given


@pytest.mark.parametrize(
    "given", ["", "short", "a" * 65, "has space1", "-leading1", "<script>", "é" * 8, "a\nb\tcdefgh"]
)
def test_any_other_gets_one_of_ours(given: str) -> None:
    request = RequestFactory().get("/api/x")
    request.META["HTTP_X_REQUEST_ID"] = given
    response = json_errors(page(404))(request)
    assert response["X-Request-ID"] != given
    assert len(response["X-Request-ID"]) == 32
