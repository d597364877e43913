import pytest

from inspector.dashboard.marks import Segment, exact, name, named, prose
from inspector.dashboard.templatetags.segments import segments


def test_text_that_can_be_seen_stays_one_segment() -> None:
    assert prose("Ship it.\n\tNow") == (Segment("Ship it.\n\tNow"),)
    assert prose("") == ()


def test_what_reorders_or_hides_text_is_named_in_prose() -> None:
    assert prose("a\u202eb") == (Segment("a"), Segment("[RLO]", "mark", "\u202e"), Segment("b"))
    assert prose("\U000e0041")[0].text == "[TAG A]"


@pytest.mark.parametrize("text", ["👨‍👩‍👧", "می‌خواهم", "c\u00a0d", "co\u00adop"])
def test_prose_leaves_ordinary_writing_alone_that_machine_text_marks(text: str) -> None:
    assert prose(text) == (Segment(text),)
    assert any(segment.kind for segment in exact(text))


@pytest.mark.parametrize(
    "character, written",
    [("\x00", "[NUL]"), ("\x1b", "[ESC]"), ("\ufeff", "[BOM]"), ("\u200b", "[ZWSP]"),
     ("\x01", "[U+0001]"), ("\udcff", "[byte ff]"), ("\ud800", "[U+D800]"),
     ("\u2061", "[FUNCTION APPLICATION]")],
)  # fmt: skip
def test_every_invisible_character_has_a_name(character: str, written: str) -> None:
    assert name(character) == written
    assert exact(character) == (Segment(written, "mark", character),)


def test_a_text_can_carry_the_names_itself() -> None:
    assert named("a\u202eb \ud800 <i>") == "a[RLO]b [U+D800] <i>"


def test_segments_are_written_escaped() -> None:
    html = segments(prose("<script>alert(1)</script>\u202e\"'&"))
    assert html == (
        '&lt;script&gt;alert(1)&lt;/script&gt;<i class="mark" data-code="202e">[RLO]</i>&quot;&#x27;&amp;'
    )
