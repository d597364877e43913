import pytest

from inspector.dashboard.text.segment_html import segments_html
from inspector.formatting.invisible_characters import (
    TextSegment,
    character_name,
    exact_segments,
    prose_segments,
    spell_out_invisible,
)


def test_text_that_can_be_seen_stays_one_segment() -> None:
    assert prose_segments("Ship it.\n\tNow") == (TextSegment("Ship it.\n\tNow"),)
    assert prose_segments("") == ()


def test_what_reorders_or_hides_text_is_named_in_prose() -> None:
    assert prose_segments("a\u202eb") == (
        TextSegment("a"),
        TextSegment("[RLO]", "mark", "\u202e"),
        TextSegment("b"),
    )
    assert prose_segments("\U000e0041")[0].text == "[TAG A]"


@pytest.mark.parametrize("text", ["👨‍👩‍👧", "می‌خواهم", "c\u00a0d", "co\u00adop"])
def test_prose_leaves_ordinary_writing_alone_that_machine_text_marks(text: str) -> None:
    assert prose_segments(text) == (TextSegment(text),)
    assert any(segment.kind for segment in exact_segments(text))


@pytest.mark.parametrize(
    "character, written",
    [("\x00", "[NUL]"), ("\x1b", "[ESC]"), ("\ufeff", "[BOM]"), ("\u200b", "[ZWSP]"),
     ("\x01", "[U+0001]"), ("\udcff", "[byte ff]"), ("\ud800", "[U+D800]"),
     ("\u2061", "[FUNCTION APPLICATION]")],
)  # fmt: skip
def test_every_invisible_character_has_a_name(character: str, written: str) -> None:
    assert character_name(character) == written
    assert exact_segments(character) == (TextSegment(written, "mark", character),)


def test_a_text_can_carry_the_names_itself() -> None:
    assert spell_out_invisible("a\u202eb \ud800 <i>") == "a[RLO]b [U+D800] <i>"


def test_segments_are_written_escaped() -> None:
    html = segments_html(prose_segments("<script>alert(1)</script>\u202e\"'&"))
    assert html == (
        '&lt;script&gt;alert(1)&lt;/script&gt;<i class="mark" data-code="202e">[RLO]</i>&quot;&#x27;&amp;'
    )
