"""Characters that act on a terminal, or hide in it, as symbols."""

import pytest

from inspector.operations.reports.terminal_escape import escape_for_terminal


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("[red]", "[red]"),
        ("\x1b[2J", "␛[2J"),
        ("\x1b]52;c;QQ==\x07", "␛]52;c;QQ==␇"),
        ("a\r\nb\tc\0", "a␍␊b␉c␀"),
        ("\x7f", "␡"),
        ("\x9b2J\x85", "[U+009B]2J[NEL]"),
        ("a\u202eb\u2066c\u200ed", "a[RLO]b[LRI]c[LRM]d"),
        ("\u200b\ufeff\u2028", "[ZWSP][BOM][LS]"),
        ("\U000e0041", "[TAG A]"),
        ("\ud800\udcff", "[U+D800][byte ff]"),
        ("zwölf\u00a0Äpfel 你好 👩\u200d👧", "zwölf\u00a0Äpfel 你好 👩\u200d👧"),
    ],
)
def test_a_character_is_itself_or_its_symbol(text: str, shown: str) -> None:
    assert escape_for_terminal(text) == shown


@pytest.mark.thorough
def test_no_character_reaches_the_terminal_that_is_not_for_writing() -> None:
    kept = {
        c for c in map(chr, range(0x110000)) if not c.isprintable() and c in escape_for_terminal(c)
    }
    assert {c for c in kept if not c.isspace()} == {"\u200c", "\u200d"}
    assert kept & {"\n", "\r", "\t", "\v", "\f", "\x85", "\u2028", "\u2029"} == set()
