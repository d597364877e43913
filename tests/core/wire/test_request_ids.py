"""The ids that response headers give a request."""

import pytest

from inspector.core.wire.request_ids import request_ids


@pytest.mark.parametrize(
    "name",
    ["x-request-id", "X-Request-ID", "request-id", "x-ms-request-id", "apim-request-id",
     "x-amzn-RequestId", "minimax-request-id", "x-correlation-id", "cf-ray"],
)  # fmt: skip
def test_the_header_of_an_id_is_known_by_the_end_of_its_name(name: str) -> None:
    assert request_ids([(name, " abc-1 ")]) == ("abc-1",)


@pytest.mark.parametrize("name", ["openai-organization", "x-request-id-source", "server", "date"])
def test_other_headers_have_no_id_of_the_request(name: str) -> None:
    assert request_ids([(name, "abc-1")]) == ()


def test_ids_are_kept_once_and_only_so_many_and_so_long() -> None:
    assert request_ids([("x-request-id", "a"), ("request-id", "a"), ("cf-ray", "b")]) == ("a", "b")
    assert request_ids([("x-request-id", ""), ("request-id", "a" * 201)]) == ()
    assert len(request_ids([("x-request-id", str(n)) for n in range(20)])) == 8
    assert request_ids(None) == ()
