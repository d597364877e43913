"""Whatever way an address carries a credential, it goes; the rest stays as it was written."""

import pytest

from inspector.core.credentials import urls
from tests.tiers import mostly_thorough

CASES = {
    "https://api.example/v1?key=sk-1&n=2": "https://api.example/v1?key=[removed]&n=2",
    "https://h/v1?api-key=a&ACCESS_TOKEN=b": "https://h/v1?api-key=[removed]&ACCESS_TOKEN=[removed]",
    "https://user:pass@h/v1": "https://h/v1",
    "https://token@h/v1": "https://h/v1",
    "user:PW@host/v1": "host/v1",
    "//user:PW@host/v1": "//host/v1",
    "https:/user:PW@host": "https:/host",
    "https:\\\\user:PW@h": "https:\\\\h",
    "https:user:PW@h/v1": "https:h/v1",
    "https://user:p/W@h/v1": "https://h/v1",
    "https://h/?sig=a/b%2Bc%3D&se=2026": "https://h/?sig=[removed]&se=2026",
    "https://h/?code=a&pwd=b&jwt=c&sas=d": "https://h/?code=[removed]&pwd=[removed]&jwt=[removed]&sas=[removed]",
    "https://h/#access_token=a&state=1": "https://h/#access_token=[removed]&state=1",
    "https://h/v1;token=a/chat?n=1": "https://h/v1;token=[removed]/chat?n=1",
    "https://h/?n=1;token=a;m=2": "https://h/?n=1;token=[removed];m=2",
    "https://h/?key=a;b": "https://h/?key=[removed]",
    "https://h/?%6bey=a": "https://h/?%6bey=[removed]",
    "https://h/?%256bey=a": "https://h/?%256bey=[removed]",
    "https://h/v1%3Fkey=a": "https://h/v1%3Fkey=[removed]",
    "https://h/?url=https%3A%2F%2Fx%2F%3Fapi_key%3Da%26n%3D1&c=2": "https://h/?url=https%3A%2F%2Fx%2F%3Fapi_key%3D[removed]%26n%3D1&c=2",
    "https://h/?u=https://a:PW@b/": "https://h/?u=https://b/",
    "https://h/?u=https%3A%2F%2Fa%3APW%40b%2F": "https://h/?u=https%3A%2F%2F[removed]%40b%2F",
    "https://h/?X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F2026&X-Amz-Signature=ab": "https://h/?X-Amz-Credential=[removed]&X-Amz-Signature=[removed]",
    "https://h/sk-ant-api03-aBcD1234efGH5678ijkl/v1": "https://h/[removed]/v1",
    "?key=a": "?key=[removed]",
    "key=a": "key=[removed]",
    "https://h/v1?apikey@a1&n=2": "https://h/v1?apikey@[removed]&n=2",
    "https://h/v1?n=1&key:a1": "https://h/v1?n=1&key:[removed]",
    "https://h/v1?k%00ey=a1": "https://h/v1?k%00ey=[removed]",
    "https://h/v1?k\u200bey=a1": "https://h/v1?k\u200bey=[removed]",
    "https://h/v1?ｋｅｙ=a1": "https://h/v1?ｋｅｙ=[removed]",
    "https://h/v1?%EF%BD%8B%EF%BD%85%EF%BD%99=a1": "https://h/v1?%EF%BD%8B%EF%BD%85%EF%BD%99=[removed]",
}  # fmt: skip
KEPT = (
    "/v1/chat/completions",
    "https://h/?max_tokens=5&n=2",
    "https://h/v1/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
    "https://h/@scope/package",
    "http://[::1]:8080/@user",
    "https://h:8443/a@b?c=d@e",
    "https://h/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21",
    "https://[broken",
    "https://h/?q=what+is+a+key",
    "https://h/?q=a:b&time:12:30",
    "https://h/?prix=%E2%82%AC5",
    "https://h/50%/x",
    "",
)  # fmt: skip


def test_an_address_loses_what_would_open_a_door() -> None:
    assert {sent: urls.clean_url(sent) for sent in CASES} == CASES


def test_an_address_without_credentials_stays_as_it_was_written() -> None:
    assert [urls.clean_url(sent) for sent in KEPT] == list(KEPT)


def test_what_was_cleaned_stays_as_it_is() -> None:
    assert [urls.clean_url(kept) for kept in CASES.values()] == list(CASES.values())


def test_what_is_escaped_too_often_is_not_read() -> None:
    escaped = "%6bey=a"
    for _ in range(urls.MAX_LEVELS):
        escaped = escaped.replace("%", "%25")
    assert urls.clean_url(f"https://h/?{escaped}") == "[removed]"


@pytest.mark.parametrize(
    "piece",
    mostly_thorough(
        (each,) for each in ("?key=a;b", "?a=b&", ";", "%25", "@", "/", "://a:b", "&key=x")
    ),
)
def test_the_work_grows_with_the_length_alone(piece: str) -> None:
    """Twice as long, and with something at the ends to look for: it comes to an end."""
    for text in (piece * 20_000, "@" + piece * 20_000, piece * 20_000 + "@"):
        urls.spans(text)
