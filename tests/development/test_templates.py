"""What every template keeps to."""

from pathlib import Path

ROOT = Path(__file__).parents[2] / "templates"
LIMIT = 160


def test_no_line_of_a_template_is_longer_than_a_window() -> None:
    files = sorted(ROOT.rglob("*.html"))
    assert files
    assert [
        f"{file.relative_to(ROOT)}:{number}"
        for file in files
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if len(line) > LIMIT
    ] == []
