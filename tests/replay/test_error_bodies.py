"""Errors in the form of each format, as its own reading understands them."""

from __future__ import annotations

import msgspec
import pytest

from inspector.core import formats
from inspector.core.analysis import Verdict
from inspector.core.reading import analyze
from inspector.core.wire.exchange import Exchange, Read
from inspector.replay.error_bodies import error_answer, words_of


@pytest.mark.parametrize(
    ("dialect", "status", "body"),
    [
        ("openai-chat", 401, {"error": {"message": "The API key is not valid.", "type": "invalid_request_error", "param": None, "code": "invalid_api_key"}}),
        ("openai-responses", 500, {"error": {"message": "The server had an error while processing your request.", "type": "server_error", "param": None, "code": None}}),
        (None, 418, {"error": {"message": "The request is not valid.", "type": "invalid_request_error", "param": None, "code": None}}),
        ("anthropic", 529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded."}, "request_id": "req_replayed"}),
        ("gemini", 503, {"error": {"code": 503, "message": "The service is unavailable.", "status": "UNAVAILABLE"}}),
        ("ollama", 404, {"error": "The model does not exist, or you have no access to it."}),
        ("cohere", 429, {"message": "Rate limit reached for requests."}),
        ("bedrock-converse", 429, {"message": "Rate limit reached for requests."}),
    ],
)  # fmt: skip
def test_an_error_is_in_the_form_of_the_format(
    dialect: str | None, status: int, body: object
) -> None:
    assert msgspec.json.decode(error_answer(dialect, status).body) == body


def test_bedrock_names_the_type_in_a_header() -> None:
    assert ("x-amzn-errortype", "ThrottlingException") in error_answer(
        "bedrock-converse", 429
    ).headers


@pytest.mark.parametrize("dialect", sorted(formats.dialects()))
def test_an_error_is_read_as_one(dialect: str) -> None:
    error = error_answer(dialect, 429)
    found = analyze(Exchange(reads=(Read(1, error.body),), status_code=429, headers=error.headers))
    assert found.verdict is Verdict.PROVIDER_ERROR


@pytest.mark.parametrize("status", range(400, 600))
def test_every_status_has_words(status: int) -> None:
    assert words_of(status).endswith(".")
