"""UTF-8 that was read by another encoding is told, and no text with such letters of its own."""

import pytest

from inspector.core.text.misread_encoding import misread_words

TEXTS = ("Größe", "It’s a “fine” day — yes", "Привет", "你好", "20 °C", "naïve", "£5", "à la carte")


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
def test_what_another_encoding_made_of_utf8_is_found(text: str, encoding: str) -> None:
    misread = text.encode().decode(encoding, errors="replace")
    if "\ufffd" in misread:
        pytest.skip("the encoding has no character for a byte of it")
    found = misread_words(f"So: {misread}")
    assert found is not None
    assert found[1] in text


@pytest.mark.parametrize(
    "text",
    [
        *TEXTS,
        "«AMANHû",
        "“IRMÔ e “CAFÉ”",
        "Ñandú — ÑAME",
        "Ð og ð",
        "“æ” and “å–æ”",
        "Â, Ê, Î",
        "Where Ã¶ stands for ö, UTF-8 was misread.",
    ],
)
def test_letters_of_a_language_are_none(text: str) -> None:
    assert misread_words(text) is None
