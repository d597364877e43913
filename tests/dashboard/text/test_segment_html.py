"""Texts as HTML."""

from inspector.dashboard.text.segment_html import figure_html


def test_a_long_word_breaks_behind_an_underscore_and_a_pointer_at_its_steps() -> None:
    assert figure_html("service tier PROVISIONED_THROUGHPUT") == (
        "service tier PROVISIONED_<wbr>THROUGHPUT"
    )
    assert figure_html("/choices/0/message/content") == (
        "/<wbr>choices/<wbr>0/<wbr>message/<wbr>content"
    )
    assert figure_html("tool_calls <b>") == "tool_calls &lt;b&gt;"
