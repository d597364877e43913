"""Headers: of a request what is known is kept, of a response what opens no door."""

import pytest

from inspector.core.credentials import headers
from inspector.core.credentials.headers import CHARACTERS

REMOVED = "[removed]"
SECRET = "s3cr3t-Value-17"


def words(text: str) -> list[str]:
    return text.split()


OF_REQUESTS = words("""
Authorization proxy-authorization API-Key x-api-key X-Goog-Api-Key x_api_key Cookie X-Auth-Token
X-Amz-Security-Token X-Session-Id X-Client-Secret x-jwt-assertion x-bearer x-pwd x-pass x-sig x-sas
x-hmac x-otp x-pin x-tok X-Api-Cred x-forwarded-client-cert x-dsn x-webhook x-my-authority
access-control-request-token x-ratelimit-secret-token X-Custom X-Team x-upstream x-litellm-api
x-forwarded-for helicone-auth cf-access-client-id sec-websocket-key baggage
""")
OF_RESPONSES = words("""
Set-Cookie X-Auth-Token x-amz-security-token x-session-id X-Api-Cred x-sig x-jwt authentication-info
x-ratelimit-secret-token x-refreshed-token x-password-hint x-otp x-webhook-url
""")
KEPT_OF_REQUESTS = (
    ("Accept", "text/event-stream"),
    ("Content-Type", "application/json; charset=utf-8"),
    ("User-Agent", "OpenAI/Python 1.99.1 (linux; key-less build)"),
    ("X-Stainless-Retry-Count", "0"),
    ("anthropic-version", "2023-06-01"),
    ("OpenAI-Organization", "org-AbCdEf0123456789AbCdEf01"),
    ("openai-project", "proj_AbCdEf0123456789AbCdEf01"),
    ("Idempotency-Key", "8f14e45f-ceea-467f-a8e2-3a1d5b5c2f11"),
    ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
    ("Referer", "https://app.example/chat?thread=17"),
    ("Host", "api.example"),
    (":authority", "api.example"),
    (":path", "/v1/chat/completions?stream=true"),
    ("sec-ch-ua", '"Chromium";v="130"'),
)
KEPT_OF_RESPONSES = (
    ("x-request-id", "req_011CSHoEeqs5C35K2UUqR7Fy"),
    ("x-ratelimit-limit-tokens", "150000;w=60"),
    ("x-ratelimit-remaining-tokens", "149984"),
    ("x-ratelimit-reset-tokens", "1m3.5s"),
    ("anthropic-ratelimit-tokens-reset", "2026-01-01T00:00:00Z"),
    ("anthropic-ratelimit-input-tokens-limit", "400000"),
    ("x-litellm-key-spend", "0.0012"),
    ("x-litellm-key-tpm-limit", "None"),
    ("openai-processing-ms", "812"),
    ("openai-organization", "acme"),
    ("openai-model", "gpt-4o-mini-2024-07-18"),
    ("x-ms-region", "West Europe"),
    ("azureml-model-session", "d20251106"),
    ("cf-ray", "8f1c2d3e4f5a6b7c-FRA"),
    ("server-timing", "auth;dur=12.3, cfL4;desc=x"),
    ("www-authenticate", 'Bearer realm="api", error="invalid_token"'),
    ("access-control-allow-credentials", "true"),
    ("access-control-expose-headers", "X-Request-ID, Authorization"),
    ("idempotency-key", "17"),
    ("permissions-policy", 'publickey-credentials-get=(self "https://x"), camera=()'),
    ("strict-transport-security", "max-age=31536000; includeSubDomains"),
    ("etag", 'W/"a1b2c3d4e5f60718293a4b5c6d7e8f90"'),
    ("x-author", "somebody"),
    ("location", "https://api.example/v1/files/file-abc?limit=20"),
)
IN_VALUES = (
    ("Referer", f"https://h/?api_key={SECRET}&b=1", "https://h/?api_key=[removed]&b=1"),
    ("Location", f"https://h/cb?code={SECRET}&state=1", "https://h/cb?code=[removed]&state=1"),
    ("Link", f'<https://h/x?token={SECRET}>; rel="next"', '<https://h/x?token=[removed]>; rel="next"'),
    ("x-original-url", f"/v1?sig={SECRET}", "/v1?sig=[removed]"),
    (":path", f"/v1beta/models?key={SECRET}", "/v1beta/models?key=[removed]"),
    ("Referer", f"https://u:{SECRET}@h/", "https://h/"),
    ("via", f"1.1 proxy (Authorization: Bearer {SECRET})", "1.1 proxy (Authorization: Bearer [removed])"),
    ("user-agent", f"tool/1 api_key={SECRET}", "tool/1 api_key=[removed]"),
)  # fmt: skip


def test_a_request_keeps_the_names_and_only_values_that_are_known() -> None:
    sent = tuple((name, SECRET) for name in OF_REQUESTS)
    assert headers.of_request(sent) == tuple((name, REMOVED) for name in OF_REQUESTS)
    assert headers.of_request(KEPT_OF_REQUESTS) == KEPT_OF_REQUESTS


def test_a_response_loses_what_opens_a_door_and_keeps_what_people_debug_by() -> None:
    sent = tuple((name, SECRET) for name in OF_RESPONSES)
    assert headers.of_response(sent) == tuple((name, REMOVED) for name in OF_RESPONSES)
    assert headers.of_response(KEPT_OF_RESPONSES) == KEPT_OF_RESPONSES


def test_values_of_kept_headers_are_looked_at() -> None:
    for name, sent, kept in IN_VALUES:
        if name not in ("Location", "Link"):
            assert headers.of_request(((name, sent),)) == ((name, kept),)
        if not name.startswith(":"):
            assert headers.of_response(((name, sent),)) == ((name, kept),)


def test_order_and_repetitions_stay() -> None:
    sent = (("a", "1"), ("Accept", "x"), ("a", ""), ("accept", "y"))
    assert headers.of_request(sent) == (
        ("a", REMOVED), ("Accept", "x"), ("a", ""), ("accept", "y"),
    )  # fmt: skip


@pytest.mark.parametrize("name", ["x-refreshed", "x-litellm-api", "x-upstream"])
def test_what_looks_like_a_key_is_none_to_keep_whatever_its_name(name: str) -> None:
    sent = f"Bearer {SECRET}", "sk-ant-api03-aBcD1234efGH5678ijkl", f"Authorization: Basic {SECRET}"
    for value in sent:
        ((_, kept),) = headers.of_response(((name, value),))
        assert REMOVED in kept and SECRET not in kept and "aBcD1234" not in kept


def test_a_browsers_socket_offers_its_key_as_a_protocol() -> None:
    offered = f"realtime, openai-insecure-api-key.{SECRET}, openai-beta.realtime-v1"
    ((_, kept),) = headers.of_request((("Sec-WebSocket-Protocol", offered),))
    assert kept == "realtime, openai-insecure-api-key.[removed], openai-beta.realtime-v1"
    assert list(headers.carried_credentials((("sec-websocket-protocol", offered),))) == [SECRET]


def test_what_a_request_carried_is_known_by_itself() -> None:
    sent = (
        ("Authorization", f"Bearer {SECRET}"),
        ("proxy-authorization", "Basic dXNlcjpodW50ZXIyMDA="),
        ("x-api-key", "plain-key-1"),
        ("X-Session-Id", "names-a-session-1"),
        ("Cookie", "theme=dark-mode; sid=0123456789abcdefABCDEF"),
        (":path", "/v1?key=in-path-1"),
        ("X-Team", "blue"),
    )
    assert list(headers.carried_credentials(sent)) == [
        SECRET, "dXNlcjpodW50ZXIyMDA=", "hunter200", "plain-key-1",
        "0123456789abcdefABCDEF", "in-path-1",
    ]  # fmt: skip


def test_more_than_a_message_can_hold_is_removed_unread() -> None:
    sent = (("accept", "a" * CHARACTERS), ("accept", "b"))
    assert headers.of_request(sent) == (("accept", "a" * CHARACTERS), ("accept", REMOVED))
