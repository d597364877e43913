from django.conf import settings

from tests.replay.options_page import BEGIN, END, table

PAGE = settings.BASE_DIR / "docs" / "replay.md"


def test_the_page_has_every_option_as_it_is() -> None:
    shown = PAGE.read_text().partition(BEGIN)[2].partition(END)[0]
    assert shown == table(), "python -m tests.replay.options_page prints it"
