import pytest

from inspector.archive.credentials import url_without_credentials, without_credentials


@pytest.mark.parametrize(
    "name",
    [
        "Authorization",
        "proxy-authorization",
        "API-Key",
        "x-api-key",
        "X-Goog-Api-Key",
        "x_api_key",
        "Cookie",
        "Set-Cookie",
        "X-Auth-Token",
        "X-Amz-Security-Token",
        "X-Session-Id",
        "X-Client-Secret",
    ],
)
def test_a_header_that_may_carry_a_credential_keeps_its_name_only(name: str) -> None:
    assert without_credentials(((name, "sk-canary"),)) == ((name, "[removed]"),)


@pytest.mark.parametrize(
    "name",
    [
        "Content-Type",
        "x-request-id",
        "x-ratelimit-remaining-tokens",
        "anthropic-ratelimit-tokens-limit",
        "openai-processing-ms",
        "idempotency-key",
    ],
)
def test_what_tells_of_the_exchange_is_kept(name: str) -> None:
    assert without_credentials(((name, "17"),)) == ((name, "17"),)


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://api.example/v1?key=sk-1&n=2", "https://api.example/v1?key=[removed]&n=2"),
        (
            "https://h/v1?api-key=a&ACCESS_TOKEN=b",
            "https://h/v1?api-key=[removed]&ACCESS_TOKEN=[removed]",
        ),
        ("https://user:pass@h/v1", "https://h/v1"),
        ("/v1/chat/completions", "/v1/chat/completions"),
        ("https://[broken", "[removed]"),
        ("https://h/?max_tokens=5", "https://h/?max_tokens=5"),
    ],
)
def test_a_url_loses_what_would_open_a_door(url: str, kept: str) -> None:
    assert url_without_credentials(url) == kept
