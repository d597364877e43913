"""An answer that is JSON as a tree, held against the schema of its request."""

import json
from typing import Any

import pytest
from django.template.loader import render_to_string

from inspector.core.completion import Choice
from inspector.core.wire.exchange import Request
from inspector.dashboard.capture.choices.panel import PANEL, draw
from inspector.dashboard.capture.page.panel_body import PanelDisplay
from tests.dashboard.capture import block_samples as blocks
from tests.dashboard.capture.samples import analysis, view

SCHEMA = {
    "type": "object",
    "properties": {"via": {"type": "string"}, "hours": {"type": "integer"}, "toll": {}},
    "required": ["via", "hours"],
    "additionalProperties": False,
}
WISHED: dict[str, dict[str, Any]] = {
    "chat": {"response_format": {"type": "json_schema", "json_schema": {"name": "r", "schema": SCHEMA}}},
    "chat, strict": {"response_format": {"type": "json_schema", "json_schema": {"strict": True, "schema": SCHEMA}}},
    "Responses": {"text": {"format": {"type": "json_schema", "name": "r", "schema": SCHEMA}}},
    "Anthropic": {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}},
    "Gemini": {"generationConfig": {"responseJsonSchema": SCHEMA}},
    "Ollama": {"format": SCHEMA},
}  # fmt: skip


def html(content: str, request: dict[str, Any] | None = None, mode: str = "json") -> str:
    read = analysis(Choice(index=0, content=content, finish_reason="stop"))
    asked = None if request is None else Request(body=json.dumps(request).encode())
    shown = view(read, request=asked, query_params={"choices": mode})
    display = PanelDisplay(PANEL, draw(shown))
    return render_to_string("dashboard/capture/panel.html", {"view": shown, "display": display})


@pytest.mark.parametrize("form", WISHED)
def test_fields_are_held_against_the_schema_of_every_format(form: str) -> None:
    shown = html('{"via":"San Bernardino","hours":"9","sum":12.50}', WISHED[form])
    assert "required, integer" in shown and "✗ against the schema" in shown
    assert "✓ present" in shown and "– not sent" in shown
    assert "schema: " in shown.partition("Against the request’s schema")[0]
    assert "✗ forbidden field" in shown


def test_an_answer_that_holds_its_schema_has_no_mark() -> None:
    shown = html('{"via":"San Bernardino","hours":9}', WISHED["chat"])
    assert "✗" not in shown and "sev warning" not in shown


def test_numbers_keep_their_spelling_and_repeated_names_are_all_shown() -> None:
    shown = html('{"toll":12.50,"toll":1}')
    assert "12.50" in shown and "sent 2 times, most parsers take the last" in shown
    assert "The request gave no schema for the answer." in shown


def test_what_is_no_json_is_shown_as_text_with_the_reason() -> None:
    shown = html("It left Rotterdam.")
    assert "Shown as text: it is not JSON." in shown and "It left Rotterdam." in shown
    assert "Shown as text" in html('{"via": "San Ber')


def test_the_view_is_offered_where_an_answer_looks_like_json() -> None:
    assert ">JSON</a>" in html(' {"a":1}', mode="text") and ">JSON</a>" in html("[1]", mode="text")
    assert ">JSON</a>" not in html("It left {a}.", mode="text")


def test_texts_of_the_model_are_escaped() -> None:
    shown = html('{"<img src=x>":"<script>"}')
    assert "<img" not in shown and "<script>" not in shown and "&lt;script&gt;" in shown


def test_each_text_of_an_answer_in_blocks_is_a_tree_of_its_own() -> None:
    said = blocks.choice(blocks.thought("Hm."), blocks.text('{"a":1}'), blocks.text("in words"))
    (drawn,) = draw(view(analysis(said), query_params={"choices": "json"})).content.choices
    first, second = (block for block in drawn.blocks if block.kind == "text")
    assert first.rendered is not None and "number" in first.rendered
    assert (second.rendered, second.unrendered) == (None, "Shown as text: it is not JSON.")
