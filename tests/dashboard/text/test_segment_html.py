"""Texts as HTML."""

from inspector.dashboard.text.segment_html import figure_html


def test_a_long_word_of_a_figure_breaks_behind_its_underscore() -> None:
    assert figure_html("service tier PROVISIONED_THROUGHPUT") == (
        "service tier PROVISIONED_<wbr>THROUGHPUT"
    )
    assert figure_html("tool_calls <b>") == "tool_calls &lt;b&gt;"
