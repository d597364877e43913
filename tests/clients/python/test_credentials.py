"""Credentials leave the process in no part of a call, and the client's lists are the product's."""

from __future__ import annotations

import gzip
import json
from typing import Any

import httpx
import pytest
from response_inspector import capture, flush, recorder
from response_inspector import credentials as ours

from inspector.core.credentials import names, repeated
from inspector.core.wire import completion_paths
from tests.clients.python.played import ASK, Played
from tests.clients.python.taking_server import TakingServer

WAIT_SECONDS = 600
KEY = "sk-proj-0123456789abcdefABCDEF"
GEMINI_KEY = "AIza0123456789abcdefghijABCDEFGHIJ01234"

REQUEST_HEADERS = """
accept accept-encoding anthropic-beta anthropic-version api-key authorization connection
content-length content-type cookie helicone-auth host idempotency-key ocp-apim-subscription-key
openai-beta openai-organization openai-project proxy-authorization traceparent user-agent
x-amz-security-token x-api-key x-auth-token x-client-request-id x-goog-api-client x-goog-api-key
x-goog-user-project x-request-id x-stainless-arch x-stainless-retry-count x-title
"""
RESPONSE_HEADERS = """
access-control-allow-credentials access-control-expose-headers age alt-svc
anthropic-organization-id authentication-info authorization :authority x-author api-key cookie
proxy-authorization x-authorized-scopes x-goog-signature x-secret x-webhook-secret anthropic-ratelimit-requests-limit anthropic-ratelimit-tokens-remaining
azureml-model-session cache-control cf-cache-status cf-ray content-encoding content-length
content-type date etag location openai-model openai-organization openai-processing-ms
openai-version request-id retry-after server server-timing set-cookie strict-transport-security
traceparent vary via www-authenticate x-amz-security-token x-amzn-requestid x-auth-token x-cache
x-content-type-options x-csrf-token x-envoy-upstream-service-time x-goog-api-key x-groq-region
x-ms-request-id x-ratelimit-limit-requests x-ratelimit-limit-tokens x-ratelimit-remaining-tokens
x-ratelimit-reset-tokens x-request-id x-robots-tag x-session-token x-should-retry
"""


def sent_of(server: TakingServer, played: Played, url: str = ASK, **asked: Any) -> str:
    client = capture(httpx.Client(transport=played), url=server.url, key="ri_key")
    client.post(url, **asked)
    assert flush(WAIT_SECONDS)
    return json.dumps(server.lines)


# -- against the product's lists -------------------------------------------------------------------


def test_every_header_that_the_client_keeps_of_a_request_is_kept_by_the_product() -> None:
    assert {*ours.KEPT_HEADERS} <= {*names.KEPT_OF_REQUESTS}
    assert ours.KEPT_BEGINNING in names.KEPT_BEGINNINGS


@pytest.mark.parametrize("name", REQUEST_HEADERS.split())
def test_a_header_of_a_request_is_kept_by_both_or_by_neither(name: str) -> None:
    assert ours.is_kept_of_requests(name) == names.is_kept_of_requests(name)


@pytest.mark.parametrize("name", RESPONSE_HEADERS.split())
def test_a_header_of_a_response_is_a_credential_for_both_or_for_neither(name: str) -> None:
    # Of a header that tells a count, as limits do, the product looks at the value, too.
    assert ours.is_credential(name) == names.is_credential(name, "1000")


@pytest.mark.parametrize("name", sorted(ours.KEPT_PARAMETERS))
def test_a_parameter_that_the_client_keeps_is_no_credential_for_the_product(name: str) -> None:
    assert not names.is_parameter(name, "value")


@pytest.mark.parametrize(
    "secret",
    [
        "abc1234",
        "abcd1234",
        "12345678",
        "123456789012345",
        "1234567890123456",
        "ollama",
        "not-needed",
        "EMPTY",
        "placeholder",
        "ABCDEFGHIJKLMNOP",
        "abcdefghijklmnopqrs",
        "abcdefghijklmnopqrst",
        "AbCdEfGhIjKlMnO",
        "AbCdEfGhIjKlMnOp",
        "sk-proj-0123",
        "--------",
        "12-34-56-78",
    ],
)
def test_what_is_searched_in_bodies_is_the_same_for_both(secret: str) -> None:
    assert ours.is_worth(secret) == repeated.is_searchable_secret(secret)


@pytest.mark.parametrize(
    "path",
    [
        "/v1/chat/completions",
        "/v1/completions",
        "/v1/responses",
        "/v1/messages",
        "/v1beta/models/m:generateContent",
        "/v1beta/models/m%3AstreamGenerateContent",
        "/api/chat",
        "/api/generate",
        "/model/m/converse-stream",
        "/model/m/invoke",
        "/v2/chat",
        "/v1/models",
        "/v1/embeddings",
        "/v1/messages/count_tokens",
        "/v1/files",
        "/v1/responses/resp_1/cancel",
    ],
)
def test_what_asks_for_a_completion_is_the_same_for_both(path: str) -> None:
    for method in ("POST", "GET"):
        asks = recorder.is_completion(method, path)
        assert asks == completion_paths.is_completion(method, path)


# -- in what is sent -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": f"Bearer {KEY}"},
        {"x-api-key": KEY},
        {"Cookie": f"a=b; session={KEY}"},
        {"User-Agent": f"shop {KEY}"},
        {"X-Unheard-Of": KEY},
    ],
    ids=["bearer", "a key", "a cookie", "in a harmless header", "in an unknown header"],
)
def test_a_header_with_a_credential_keeps_its_name_alone(
    server: TakingServer, headers: dict[str, str]
) -> None:
    sent = sent_of(server, Played(httpx, b"{}"), headers=headers)
    (name,) = headers
    assert KEY not in sent and name in sent and "[removed]" in sent


def test_of_an_address_only_harmless_parameters_are_kept(server: TakingServer) -> None:
    url = f"https://olga:pass%20word%209@api.example/v1beta/models/m:generateContent?alt=sse&key={GEMINI_KEY}"
    sent_of(server, Played(httpx, b"{}"), url)
    asked = server.lines[0]["request"]["url"]
    assert asked == "https://api.example/v1beta/models/m:generateContent?alt=sse&key=[removed]"


def test_header_of_the_answer_with_a_credential_keeps_its_name_alone(server: TakingServer) -> None:
    headers = {"Set-Cookie": "__cf_bm=abc", "X-RateLimit-Remaining-Tokens": "9"}
    sent_of(server, Played(httpx, b"{}", headers=headers))
    assert server.lines[0]["response"]["headers"] == [
        ["Set-Cookie", "[removed]"],
        ["X-RateLimit-Remaining-Tokens", "9"],
    ]


def test_a_header_that_would_be_slow_to_search_is_removed_unread(server: TakingServer) -> None:
    headers = {"Link": "https://a.example/" + "?" * 8_192}
    sent_of(server, Played(httpx, b"{}", headers=headers))
    assert server.lines[0]["response"]["headers"] == [["Link", "[removed]"]]


def test_an_answer_that_repeats_the_key_is_masked_across_its_reads(server: TakingServer) -> None:
    reads = (f'{{"error":"no such key: {KEY[:9]}'.encode(), f'{KEY[9:]}"}}'.encode())
    played = Played(httpx, *reads)
    sent = sent_of(server, played, headers={"Authorization": f"Bearer {KEY}"})
    assert KEY[:9] not in sent and KEY[9:] not in sent
    masked = [each["data"] for each in server.lines[0]["response"]["reads"]]
    assert [*map(len, masked)] == [*map(len, reads)]
    assert masked == ['{"error":"no such key: *********', "*" * (len(KEY) - 9) + '"}']


def test_a_compressed_answer_that_repeats_the_key_is_sent_decoded_and_masked(
    server: TakingServer,
) -> None:
    body = gzip.compress(f"no such key: {KEY}, good bye".encode())
    headers = {"Content-Encoding": "gzip", "Content-Type": "text/plain"}
    played = Played(httpx, body[:20], body[20:], headers=headers)
    sent_of(server, played, headers={"x-api-key": KEY})
    response = server.lines[0]["response"]
    text = "".join(each["data"] for each in response["reads"])
    assert text == f"no such key: {'*' * len(KEY)}, good bye"
    assert response["headers"] == [["Content-Type", "text/plain"]]


def test_a_compressed_answer_without_the_key_stays_as_it_came(server: TakingServer) -> None:
    body = gzip.compress(b'{"choices":[]}')
    headers = {"Content-Encoding": "gzip"}
    sent_of(server, Played(httpx, body, headers=headers), headers={"x-api-key": KEY})
    assert server.lines[0]["response"]["headers"] == [["Content-Encoding", "gzip"]]


def test_documented_members_of_a_request_are_masked_in_place(server: TakingServer) -> None:
    tool = {"type": "mcp", "authorization": 'to"ken', "server_url": "https://mcp.example"}
    asked = {"tools": [tool], "api_key": "abc", "password": "", "prompt": "authorization"}
    body = json.dumps(asked).encode()
    sent_of(server, Played(httpx, b"{}"), content=body)
    kept = server.lines[0]["request"]["body"]
    assert len(kept) == len(body)
    assert json.loads(kept)["tools"][0]["authorization"] == "*" * len('to\\"ken')
    assert (json.loads(kept)["api_key"], json.loads(kept)["prompt"]) == ("***", "authorization")


def test_the_password_of_basic_is_masked_where_it_stands_alone(server: TakingServer) -> None:
    played = Played(httpx, b'{"said":"s3cret-passw0rd"}')
    sent_of(server, played, auth=("olga", "s3cret-passw0rd"))
    assert server.lines[0]["response"]["reads"][0]["data"] == '{"said":"***************"}'


@pytest.mark.parametrize("placeholder", ["ollama", "not-needed", "EMPTY", "12345678"])
def test_a_placeholder_in_place_of_a_key_blanks_out_no_words(
    server: TakingServer, placeholder: str
) -> None:
    answer = f'{{"said":"{placeholder}"}}'.encode()
    sent_of(server, Played(httpx, answer), headers={"Authorization": f"Bearer {placeholder}"})
    assert server.lines[0]["response"]["reads"][0]["data"] == answer.decode()
