"""Known response headers in words; others stay as they are."""

import pytest

from inspector.dashboard.capture.exchange.known_headers import header_meaning


@pytest.mark.parametrize(
    ("name", "value", "meaning"),
    [
        ("Content-Type", "application/json", "media type of the body"),
        ("openai-processing-ms", "1234", "1.234 s stated by the server: processing"),
        ("openai-processing-ms", "soon", "time stated by the server: processing"),
        ("retry-after", "20", "try again after 20 s"),
        ("retry-after-ms", "250", "try again after 0.250 s"),
        (
            "retry-after",
            "Fri, 20 Nov 2026 14:02:19 GMT",
            "try again after 20 Nov 2026, 14:02:19 UTC",
        ),
        ("retry-after", "later", "when to try again"),
        ("date", "Fri, 20 Nov 2026 14:02:19 GMT", "clock of the server"),
        ("date", "\x00", "clock of the server, no date"),
        ("cf-ray", "8e5f00aa11bb22cc-FRA", "Cloudflare's id of this request, data centre FRA"),
        ("cf-ray", "<b>", "Cloudflare's id of this request"),
        ("x-mood", "calm", ""),
        ("", "", ""),
    ],
)
def test_a_header_has_its_meaning(name: str, value: str, meaning: str) -> None:
    assert header_meaning(name, value) == meaning
