"""Files that pages of other sites may load from here, and for how long they keep them."""

from pathlib import Path

from django.contrib.staticfiles import finders

from inspector.web.static_headers import BUTTON, add_static_headers


def headers(url: str) -> dict[str, str]:
    found = {"Cache-Control": "max-age=60, public"}
    add_static_headers(found, f"/anywhere{url}", url)
    return found


def test_the_button_may_be_loaded_by_any_page() -> None:
    assert headers(BUTTON) == {
        "Cross-Origin-Resource-Policy": "cross-origin",
        "Cache-Control": "public, max-age=86400",
    }


def test_nothing_else_says_so() -> None:
    assert headers("/static/dashboard/style.css") == {"Cache-Control": "max-age=60, public"}


def test_the_button_is_small_and_asks_nothing_of_a_strict_policy() -> None:
    path = finders.find(BUTTON.removeprefix("/static/"))
    assert isinstance(path, str)
    script = Path(path).read_text()
    assert len(script) < 9_000
    for word in ("eval", "Function(", "innerHTML", ".style", "cookie", "localStorage", "import "):
        assert word not in script.split("(() => {", 1)[1], word
