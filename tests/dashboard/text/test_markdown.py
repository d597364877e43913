import re

import pytest

from inspector.dashboard.text.markdown import MAX_CHARACTERS, host_of, render_markdown

REL = 'rel="noopener noreferrer nofollow"'


@pytest.mark.parametrize(
    "text, html",
    [
        ("*so* **it** is", "<p><em>so</em> <strong>it</strong> is</p>\n"),
        ("# Title", "<h4>Title</h4>\n"),
        ("###### Small", "<h6>Small</h6>\n"),
        ("3. three", '<ol start="3">\n<li>three</li>\n</ol>\n'),
        ("`a<b`", "<p><code>a&lt;b</code></p>\n"),
        ('```py" onclick="x\n1 < 2\n```', '<pre tabindex="0"><code>1 &lt; 2\n</code></pre>\n'),
    ],
)
def test_common_mark_is_shown_below_the_headings_of_the_page(text: str, html: str) -> None:
    assert render_markdown(text) == html


def test_a_table_is_shown_without_a_style_attribute() -> None:
    html = render_markdown("| a | b |\n|---|--:|\n| 1 | 2 |")
    assert '<td class="num">2</td>' in html
    assert "style" not in html


@pytest.mark.parametrize(
    "text",
    ["<script>alert(1)</script>", "<div onclick=x>\nhi\n</div>", "a <b>b</b>", "<!-- a -->",
     "&lt;script&gt;", "<svg/onload=alert(1)>", "<style>*{display:none}</style>"],
)  # fmt: skip
def test_html_stands_there_as_text(text: str) -> None:
    html = render_markdown(text)
    assert re.findall("<[^>]*>", html) == ["<p>", "</p>"]
    assert "&lt;" in html


@pytest.mark.parametrize(
    "text, html",
    [
        ("[a](https://x.example/y)",
         f'<a href="https://x.example/y" {REL}>a</a> <span class="host">(x.example)</span>'),
        ("[bank](https://bank.example@evil.example:8443/)",
         f'<a href="https://bank.example@evil.example:8443/" {REL}>bank</a> '
         '<span class="host">(evil.example:8443)</span>'),
        ("[а](https://аpple.example/)",
         f'<a href="https://xn--pple-43d.example/" {REL}>а</a> '
         '<span class="host">(xn--pple-43d.example)</span>'),
        ("[m](mailto:who@x.example?subject=a)",
         f'<a href="mailto:who@x.example?subject=a" {REL}>m</a> '
         '<span class="host">(who@x.example)</span>'),
        ("<https://x.example/>", f'<a href="https://x.example/" {REL}>https://x.example/</a>'),
        ('[a](https://x.example "who reads this")',
         f'<a href="https://x.example" {REL}>a</a> <span class="host">(x.example)</span>'),
    ],
)  # fmt: skip
def test_a_link_shows_where_it_leads(text: str, html: str) -> None:
    assert render_markdown(text) == f"<p>{html}</p>\n"


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc",
     "/team/", "//evil.example", "#raw", "?all", "ftp://x.example", "https:", "http:///x", "mailto:",
     "java\tscript:alert(1)", "&#106;avascript:alert(1)", "https://[::1"],
)  # fmt: skip
def test_a_link_that_leads_elsewhere_stays_text(address: str) -> None:
    assert "<a" not in render_markdown(f"[a]({address})")
    assert "<a" not in render_markdown(f"[a][b]\n\n[b]: {address}")
    assert "<a" not in render_markdown(f"<{address}>")


@pytest.mark.parametrize(
    "text",
    ["![a cat](https://x.example/cat.png)", "![a cat][c]\n\n[c]: https://x.example/cat.png",
     "[![a cat](https://x.example/cat.png)](https://x.example/)"],
)  # fmt: skip
def test_an_image_is_its_words_and_its_address(text: str) -> None:
    html = render_markdown(text)
    assert '<span class="image">image: a cat <code>https://x.example/cat.png</code></span>' in html
    assert "<img" not in html and "src=" not in html


def test_what_hides_is_named_wherever_it_stands() -> None:
    named = '<i class="mark" data-code="202e">[RLO]</i>'
    for text in (
        "a\u202e",
        "&#x202e;",
        "`\u202e`",
        "```\n\u202e\n```",
        "![\u202e](https://x.example)",
    ):
        assert named in render_markdown(text)


def test_hosts_are_read_as_browsers_do() -> None:
    assert host_of("HTTPS://X.Example/a") == "x.example"
    assert host_of("https://x.example:99999/") == ""
    assert host_of("https://[::1]:80/") == "[::1]:80"
    assert host_of("https://x.example\\@y.example/") == ""
    assert host_of("https://y.example\\.x.example/") == ""


ENDLESS = (
    "*", "_", "**a", "*a _b ", "`", "``a", "[", "](", "[a](", "![a](b ", "<", "<a ", "<!--", "&#",
    "> ", "- ", "1. ", "    ", "\\", "|a", "|-", "# ", "~~~", "[a]: ", "[^1]", "http://", "a@",
)  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("piece", ENDLESS)
def test_what_is_repeated_without_end_is_read_and_is_no_link(piece: str) -> None:
    """One that took the square of its length would not end within a test."""
    html = render_markdown((piece * MAX_CHARACTERS)[:MAX_CHARACTERS])
    assert not re.search(r'(?:href|src)="(?!https?://)', html)


@pytest.mark.thorough
def test_brackets_without_end_are_read_as_text() -> None:
    text = "![" * (MAX_CHARACTERS // 2)
    assert render_markdown(text) == f"<p>{text}</p>\n"
