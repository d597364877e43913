import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template.loader import get_template, render_to_string

from inspector.dashboard.capture import panels
from inspector.dashboard.capture.page.panel_body import Panel, PanelBody, PanelDisplay
from inspector.transfer.samples import recording
from tests.dashboard.capture.head.test_headline import read
from tests.dashboard.capture.samples import TWO_CHOICES, streamed, view

TEMPLATES = sorted((settings.BASE_DIR / "templates").rglob("*.html"))
FORBIDDEN = {
    "an inline script": re.compile(r"<script(?![^>]*\bsrc=)"),
    "an inline style": re.compile(r"<style|\sstyle="),
    "an inline handler": re.compile(r"\son[a-z]+="),
    "htmx code": re.compile(r"\shx-on|hx-vars|hx-trigger=\"[^\"]*\["),
    "text marked as safe": re.compile(r"\|\s*safe\b|autoescape off"),
    "another host": re.compile(r"(?:href|src|action)=\"(?:https?:)?//"),
}


def test_panels_are_found_in_their_order() -> None:
    assert [panel.slug for panel in panels.all_panels()] == [
        "prompt", "choices", "tool_calls", "timeline", "usage", "findings", "raw", "exchange",
        "extras", "feedback", "logprobs",
    ]  # fmt: skip
    positions = [panel.position for panel in panels.all_panels()]
    assert positions == sorted(set(positions))


@pytest.mark.parametrize("panel", panels.all_panels(), ids=lambda panel: panel.slug)
def test_a_panel_has_one_name_in_every_place(panel: Panel) -> None:
    assert panel.draw.__module__ == f"inspector.dashboard.capture.{panel.slug}.panel"
    assert get_template(panel.template)
    assert (Path(__file__).parent / f"test_{panel.slug}.py").exists()


def test_a_heavy_panel_is_fetched_when_it_comes_into_view() -> None:
    panel = Panel(
        10, "heavy", "Heavy", lambda view: PanelBody(later="A million tokens stand here.")
    )
    captured = view(query_params={"raw": "all"})
    html = render_to_string(
        "dashboard/capture/panel.html",
        {"view": captured, "display": PanelDisplay(panel, panel.draw(captured))},
    )
    assert "A million tokens stand here." in html
    assert f'hx-get="/captures/{captured.id}/panels/heavy/?raw=all" hx-trigger="revealed"' in html
    assert f'href="/captures/{captured.id}/?raw=all&amp;show=heavy#heavy"' in html


def test_a_panel_is_looked_at_when_it_or_a_view_of_it_is_asked_for() -> None:
    assert not view().is_looked_at("logprobs")
    assert view(looked_at="logprobs").is_looked_at("logprobs")
    assert view(query_params={"show": "logprobs"}).is_looked_at("logprobs")
    assert view(query_params={"logprobs": "table"}).is_looked_at("logprobs")
    assert not view(looked_at="raw", query_params={"show": "raw"}).is_looked_at("logprobs")


def test_what_has_no_address_to_fetch_from_is_looked_at() -> None:
    assert view(is_stored=False).is_looked_at("logprobs")


def test_every_panel_has_content_or_says_why_it_is_empty() -> None:
    for shown in (view(), view(None, b"x"), streamed(*TWO_CHOICES), streamed((1, ""))):
        for each in panels.build_panels(shown):
            assert each.body.why_empty or each.body.content is not None, each.panel.slug


def test_calls_stand_beside_the_answer_and_what_is_empty_comes_last() -> None:
    shown = panels.build_panels(read(recording("broken-arguments")))
    assert [each.panel.slug for each in shown][:3] == ["choices", "tool_calls", "timeline"]
    empty = [bool(each.body.why_empty) for each in shown]
    assert empty == sorted(empty) and any(empty)


def test_without_an_answer_the_bytes_come_first() -> None:
    assert panels.build_panels(view(None, b"x"))[0].panel.slug == "raw"


def test_templates_hold_nothing_that_the_policy_forbids() -> None:
    found = [
        (path.name, what)
        for path in TEMPLATES
        for what, pattern in FORBIDDEN.items()
        if pattern.search(path.read_text())
    ]
    assert TEMPLATES and found == []
