"""Hostile texts, and how a page has them: as text, so that nothing runs, links or hides."""

import re
from html.parser import HTMLParser
from urllib.parse import urlencode

import pytest

from inspector.core.formats.reference_documents import REFERENCE_DOCUMENTS
from inspector.formatting.invisible_characters import HIDING_CHARACTERS
from tests.archive.samples import inspected
from tests.people import Person

HOSTILE = [
    "<script>window.hurt = 1</script>",
    "</script><script>window.hurt = 1</script>",
    "<img src=x onerror='window.hurt = 1'>",
    '" onmouseover="window.hurt = 1',
    "' autofocus onfocus='window.hurt = 1",
    "<style>body { display: none }</style>",
    "[click](javascript:window.hurt=1) ![x](https://evil.example/x.png)",
    "{{ secret }} {% load x %}",
    "]]><!-- --></title></textarea>",
    "\u202eevitagen\u202c",
    "a\x00b\x1b[31mred",
    "\ud800 half a pair \udfff",
    "\U000e0068\U000e0069 hidden tags",
]
HOSTILE_TEXTS = [
    pytest.param(" ".join(HOSTILE), id="together"),
    *(pytest.param(text, id=str(n), marks=pytest.mark.thorough) for n, text in enumerate(HOSTILE)),
]

REFERENCES = {document.address for document in REFERENCE_DOCUMENTS.values() if document.address}


def everywhere(text: str) -> dict[str, object]:
    """A completion with the same text at every place that a page shows."""
    return {
        "id": text,
        "object": "chat.completion",
        "model": text,
        "system_fingerprint": text,
        "service_tier": text,
        text: text,
        "choices": [
            {
                "index": 0,
                "finish_reason": text,
                "feedback_token": text,
                "cost_usd": text,
                "duration_seconds": text,
                "message": {
                    "role": text,
                    "content": text,
                    "reasoning_content": text,
                    "refusal": text,
                    "tool_calls": [
                        {"index": 0, "id": text, "type": text,
                         "function": {"name": text, "arguments": text}},
                    ],
                },
                "logprobs": {"content": [{"token": text, "logprob": text, "top_logprobs": []}]},
            }
        ],
        "usage": {"prompt_tokens": text, text: text},
    }  # fmt: skip


class Elements(HTMLParser):
    """Asserts of every element that it is one of ours."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        assert tag not in ("img", "style", "iframe", "object", "embed", "base")
        assert not [name for name in given if name.startswith("on") or name == "style"]
        assert tag != "script" or str(given.get("src")).startswith("/static/")
        for name in ("href", "src", "action", "hx-get"):
            is_ours = given.get(name) in REFERENCES
            assert is_ours or re.match(r"[/#?](?!/)|$", given.get(name) or ""), given[name]


def assert_inert(html: str) -> None:
    """No element, attribute or address on the page came out of the text, and nothing hides."""
    Elements().feed(html)
    assert not HIDING_CHARACTERS.search(html)


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_hostile_text_is_inert_in_what_is_asked_for(text: str, owner: Person) -> None:
    capture_id = inspected(owner)
    readable = text.encode("utf-8", "replace").decode()
    query = urlencode({"model": readable, "q": readable, "since": readable, readable: readable})
    browser = owner.browser()
    for path in ("/t/default/captures/", "/t/default/captures/counts/"):
        answer = browser.get(f"{path}?{query}")
        assert answer.status_code == 200
        assert_inert(answer.content.decode())
    answer = browser.get(f"/captures/{capture_id}/?{urlencode({'list': query})}")
    assert answer.status_code == 200
    assert_inert(answer.content.decode())
