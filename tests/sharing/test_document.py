"""The document of a capture: whole in one file, and without what its maker withholds."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import msgspec
import pytest

from inspector.core.wire.exchange import Exchange, Request
from inspector.sharing.document.withheld import Withheld
from tests.archive.samples import CUT, GEMINI, JSON, WHOLE
from tests.dashboard.test_hostile import HOSTILE, everywhere
from tests.people import Person
from tests.sharing.shared import STREAM, captured, made, text_of

OF_PROMPT = ("PROMPT-CANARY", "TOOL-CANARY", "SCHEMA-CANARY", "Be brief")
OF_ANSWER = ("ANSWER-CANARY", "ARGUMENT-CANARY", "find_place", "EXTRA-CANARY", "It is")


def document(person: Person, exchange: Exchange = STREAM, **withheld: bool) -> str:
    return text_of(made(person, captured(person, exchange), withheld=Withheld(**withheld)))


def test_it_shows_prompt_answer_times_usage_and_findings(owner: Person) -> None:
    html = document(owner)
    for text in (
        "PROMPT-CANARY", "TOOL-CANARY", "ANSWER-CANARY", "ARGUMENT-CANARY", "find_place",
        "tool_calls", "0.100 to 0.200 s", "first byte", "prompt_tokens", "43", "gpt-4o",
        "Shared until",
    ):  # fmt: skip
        assert text in html, text
    assert html.count("<rect ") == 3


def test_without_the_prompt_nothing_that_was_asked_is_in_it(owner: Person) -> None:
    html = document(owner, prompt=True)
    for text in OF_PROMPT:
        assert text not in html, text
    assert "ANSWER-CANARY" in html and "2 messages, 1 tool" in html
    # A finding that the schema of the request brought is there, by what its rule looks for.
    whole = document(owner)
    codes = set(re.findall(r"<code>([a-z]+\.[a-z-]+)</code>", whole))
    assert codes and codes == set(re.findall(r"<code>([a-z]+\.[a-z-]+)</code>", html))


def test_without_texts_only_their_shape_is_in_it(owner: Person) -> None:
    html = document(owner, texts=True)
    for text in (*OF_PROMPT, *OF_ANSWER):
        assert text not in html, text
    for text in ("23 characters, left out", "first byte", "prompt_tokens", "tool-call"):
        assert text in html, text


def test_an_error_message_is_a_text(owner: Person) -> None:
    body = b'{"error":{"message":"Overloaded by ERROR-CANARY","type":"TYPE-CANARY","code":500}}'
    exchange = Exchange.of_body(body, JSON)
    assert "ERROR-CANARY" in document(owner, exchange)
    html = document(owner, exchange, texts=True)
    assert "ERROR-CANARY" not in html and "TYPE-CANARY" not in html
    assert "Provider error" in html


@pytest.mark.parametrize("body", [WHOLE, CUT, GEMINI, b"not JSON", b"{}", b""])
@pytest.mark.parametrize("withheld", [{}, {"prompt": True, "texts": True}])
def test_every_capture_has_one(owner: Person, body: bytes, withheld: dict[str, bool]) -> None:
    assert "</html>" in document(owner, Exchange.of_body(body, JSON), **withheld)


class Tags(HTMLParser):
    """Tags and attributes of a document, and its style."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags = set[str]()
        self.attributes = list[tuple[str, str]]()
        self.style = ""
        self._in_style = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        self._in_style = tag == "style"

    def handle_data(self, data: str) -> None:
        if self._in_style:
            self.style += data

    def handle_endtag(self, tag: str) -> None:
        self._in_style = False


def test_it_is_one_file_that_loads_and_runs_nothing(owner: Person) -> None:
    found = Tags(document(owner))
    assert not found.tags & {"script", "img", "iframe", "form", "object", "embed", "video", "audio"}
    assert not [name for name, _ in found.attributes if name.startswith("on") or name == "src"]
    links = {value for name, value in found.attributes if name == "href"}
    assert {link[0] for link in links if link != "data:,"} == {"#"}
    assert "style" not in {name for name, _ in found.attributes}
    assert "url(" not in found.style and "@import" not in found.style


def test_its_policy_names_its_one_style_by_hash(owner: Person) -> None:
    found = Tags(document(owner))
    digest = base64.b64encode(hashlib.sha256(found.style.encode()).digest()).decode()
    (policy,) = [value for name, value in found.attributes if value.startswith("default-src")]
    assert policy.startswith(f"default-src 'none'; img-src data:; style-src 'sha256-{digest}';")


def test_model_output_is_text_in_it(owner: Person) -> None:
    body = json.dumps(everywhere(" ".join(HOSTILE))).encode()
    html = document(owner, Exchange.of_body(body, JSON))
    found = Tags(html)
    assert not found.tags & {"script", "img", "iframe", "form"}
    assert not [name for name, _ in found.attributes if name.startswith("on")]


def test_it_names_no_other_capture(owner: Person) -> None:
    others = [captured(owner) for _ in range(2)]
    capture_id = captured(owner)
    html = text_of(made(owner, capture_id))
    assert str(capture_id) in html
    ids = set(re.findall(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", html))
    assert ids == {str(capture_id)} and str(others[0]) not in html


ASKED = {
    "model": "m",
    "messages": [
        {"role": "user", "name": "ANN-CANARY", "content": [
            {"type": "image_url", "image_url": {"url": "https://a.example/ADDRESS-CANARY.png", "detail": "low"}},
            {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
        ]},
        {"role": "assistant", "reasoning_signature": "S" * 800, "tool_calls": [
            {"id": "CALL-CANARY", "type": "function", "function": {"name": "track", "arguments": "{}"}},
        ]},
        {"role": "tool", "tool_call_id": "CALL-CANARY", "content": json.dumps({"at": "Bremen" * 20})},
    ],
    "response_format": {"schema": {"properties": {f"field_{n}": {"type": "string"} for n in range(9)}}},
}  # fmt: skip


def asked(**changes: object) -> Exchange:
    body = json.dumps({**ASKED, **changes}, separators=(",", ":")).encode()
    return msgspec.structs.replace(STREAM, request=Request(body=body))


def test_fields_beside_the_texts_of_a_prompt_are_in_it(owner: Person) -> None:
    html = document(owner, asked())
    assert html.count("id CALL-CANARY") == 2 and "ANN-CANARY" in html
    # Without a line break behind the value: white space is shown as it is.
    assert "<code>detail</code></th><td><code>low</code>" in html
    assert "sound 3 B" in " ".join(html.split())
    assert "and 300 more characters" in html
    # An address may open what it leads to.
    assert "ADDRESS-CANARY" not in html and "at an address that is left out" in html
    shape = document(owner, asked(), texts=True)
    for text in ("ANN-CANARY", "CALL-CANARY", "detail", "SSS", "Bremen"):
        assert text not in shape, text
    assert "1 field, left out" in shape


def test_json_stands_over_several_lines_in_it(owner: Person) -> None:
    html = document(owner, asked())
    assert "      &quot;field_3&quot;: {&quot;type&quot;: &quot;string&quot;},\n" in html
    assert "{\n  &quot;at&quot;: &quot;BremenBremen" in html


def test_a_point_of_caching_is_no_tool_of_it(owner: Person) -> None:
    spec = {"toolSpec": {"name": "track", "inputSchema": {"json": {}}}}
    config = {"tools": [spec, {"cachePoint": {"type": "default"}}]}
    html = document(owner, asked(toolConfig=config))
    assert "Tools <span>1</span>" in html and "more tools" not in html
