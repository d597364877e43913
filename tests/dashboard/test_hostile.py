"""Texts of a model or a sender are text on every page: nothing of them runs, links or hides."""

import json
import re
from html.parser import HTMLParser
from urllib.parse import urlencode

import pytest

from inspector.archive.intake.submission import Submission
from inspector.core.formats.reference_documents import REFERENCE_DOCUMENTS
from inspector.core.wire.exchange import Exchange, Read, Request
from inspector.formatting.invisible_characters import HIDING_CHARACTERS
from tests.archive.samples import SSE, accept_arrival, inspect_all, inspected
from tests.dashboard.capture.samples import call, chunk, delta
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
def test_hostile_text_is_inert_in_a_body(text: str, owner: Person) -> None:
    capture_id = inspected(owner, json.dumps(everywhere(text)).encode())
    look_at_everything(owner, str(capture_id))


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_hostile_text_is_inert_in_a_stream_and_around_it(text: str, owner: Person) -> None:
    reads = [
        chunk(delta(0, role=text), model=text),
        chunk(delta(0, content=text, reasoning_content=text), **{text: text}),
        chunk(delta(0, **call(text, name=text))),
        chunk(delta(0, text)),
        f": {text}\n\ndata: {text}\n\n".encode("utf-8", "replace").decode(),
    ]
    exchange = Exchange(
        reads=tuple(Read(1000 + n, each.encode()) for n, each in enumerate(reads)),
        content_type=SSE,
        request=Request(method="POST", body=json.dumps({"model": text}).encode()),
    )
    readable = text.encode("utf-8", "replace").decode().replace("\x00", "")
    arrival = Submission(exchange, tags=(readable[:60],), note=readable)
    capture_id = accept_arrival(owner, arrival).id
    inspect_all()
    look_at_everything(owner, str(capture_id))


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


def look_at_everything(person: Person, capture_id: str) -> None:
    browser = person.browser()
    for path in (
        "/t/default/captures/",
        "/t/default/captures/counts/",
        f"/captures/{capture_id}/",
        f"/captures/{capture_id}/?raw=all&timeline=table",
        f"/captures/{capture_id}/?tool_calls=tree",
        f"/captures/{capture_id}/?raw=tree&find=a",
        f"/captures/{capture_id}/?raw=request&logprobs=table",
        f"/captures/{capture_id}/?choices=markdown&raw=tree&logprobs=table",
        f"/captures/{capture_id}/?choices=diff&raw=hex",
        f"/captures/{capture_id}/find/?q=e",
        f"/captures/{capture_id}/lines/",
        f"/captures/{capture_id}/timeline/",
    ):
        answer = browser.get(path)
        if answer.status_code == 404:
            continue
        assert answer.status_code == 200
        assert_inert(answer.content.decode())
    assert browser.get(f"/captures/{capture_id}/timeline.json").status_code in (200, 404)
