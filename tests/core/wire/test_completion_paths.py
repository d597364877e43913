"""Which calls ask for a completion, and what is read of the others that the proxy carried."""

import pytest

from inspector.core.analysis import Verdict
from inspector.core.completion import Result
from inspector.core.wire.completion_paths import is_completion
from inspector.core.wire.exchange import MeasuredBy, Request, TransportFault, TransportOutcome
from tests.core.bodies import GOOD, analysis, codes

MODELS = b'{"object":"list","data":[{"id":"gpt-4o","object":"model"}]}'
EMBEDDED = (
    b'{"object":"list","data":[{"embedding":[0.1]}],"usage":{"prompt_tokens":8,"total_tokens":8}}'
)
REFUSED = b'{"error":{"message":"no such key","type":"invalid_request_error"}}'


def asked(method: str, path: str) -> Request:
    return Request(method=method, url=f"https://api.example{path}", headers=())


@pytest.mark.parametrize(
    "path",
    [
        *("/v1/chat/completions", "/v1/completions", "/v1/messages", "/v1/responses"),
        *("/openai/deployments/d/chat/completions", "/v1/chat/completions/"),
        "/v1beta/models/gemini-pro:generateContent",
        *("/v1beta/models/g:streamGenerateContent", "/v1/models/g%3AgenerateContent"),
        *("/api/chat", "/api/generate", "/model/m/converse", "/model/m/converse-stream"),
        *("/model/m/invoke", "/model/m/invoke-with-response-stream", "/v1/chat", "/v2/chat"),
    ],
)
def test_a_completion_is_known_by_the_end_of_its_path(path: str) -> None:
    assert is_completion("POST", path)
    assert not is_completion("GET", path)


@pytest.mark.parametrize(
    "path",
    [
        *("/v1/models", "/v1/embeddings", "/v1/files", "/v1/messages/count_tokens", "/chat"),
        *(
            "/v1/responses/resp_1",
            "/v1/messages/batches",
            "/v3/chat",
            "/api/embed",
            "/xcompletions",
        ),
    ],
)
def test_other_calls_are_no_completions(path: str) -> None:
    assert not is_completion("POST", path)


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/v1/models?limit=2", MODELS, 200),
        ("POST", "/v1/embeddings", EMBEDDED, 200),
        ("GET", "/v1/files/f/content", b"", 200),
        ("GET", "/v1/models", REFUSED, 401),
        ("GET", "/v1/models", b"<html>", 502),
        ("GET", "/v1/models", b"{", 200),
    ],
)
def test_what_the_proxy_carried_and_asks_for_no_completion_has_no_verdict(
    method: str, path: str, body: bytes, status: int
) -> None:
    found = analysis(
        body, request=asked(method, path), measured_by=MeasuredBy.PROXY, status_code=status
    )
    assert (found.verdict, found.result) == (Verdict.OTHER, Result.UNKNOWN)
    asked_for = f"{method} {path.partition('?')[0]}"
    assert found.result_reason == f"{asked_for} asked for no completion."
    assert found.findings == ()


def test_that_the_proxy_could_not_carry_it_is_told_all_the_same() -> None:
    found = analysis(
        b"",
        request=asked("GET", "/v1/models"),
        measured_by=MeasuredBy.PROXY,
        outcome=TransportOutcome.UPSTREAM_ERROR,
        fault=TransportFault.UNREACHABLE,
    )
    assert found.verdict is Verdict.OTHER
    assert codes(found) == {"transport.unreachable"}


def test_a_completion_from_an_address_that_nobody_knows_is_judged() -> None:
    here = {"request": asked("POST", "/generate"), "measured_by": MeasuredBy.PROXY}
    assert analysis(GOOD, **here).verdict is Verdict.COMPLETE
    assert analysis(GOOD[:-9], **here).verdict is Verdict.CUT_OFF


def test_only_the_proxy_knows_what_was_asked() -> None:
    sent = asked("GET", "/v1/models")
    assert analysis(MODELS, request=sent).verdict is Verdict.NOT_A_RESPONSE
    for request in (None, Request(method="GET"), asked("POST", "/v1/responses")):
        found = analysis(MODELS, request=request, measured_by=MeasuredBy.PROXY)
        assert found.verdict is Verdict.NOT_A_RESPONSE
