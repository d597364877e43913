"""A page of the documentation as it is made of Markdown."""

from inspector.documentation.doc_page import DocPage, read_page


def page_of(text: str) -> DocPage:
    return read_page("times", text, lambda link: f"/docs/{link}")


def test_the_first_heading_is_the_title() -> None:
    assert page_of("# Who *did* what\n\nText.").title == "Who did what"


def test_headings_have_the_fragments_that_links_between_files_name() -> None:
    page = page_of("# A\n\n## What each figure means\n\n## `up`, and more\n\n## A\n")
    anchors = [section.anchor for section in page.sections]
    assert anchors == ["a", "what-each-figure-means", "up-and-more", "a-1"]
    assert '<h2 id="what-each-figure-means">' in page.html


def test_a_row_is_reached_by_the_code_in_its_first_cell() -> None:
    page = page_of(
        "# Rules\n\n| code | says |\n|---|---|\n| `block.repeated` | twice |\n| two `b` | x |\n"
    )
    assert '<tr id="block.repeated">' in page.html
    assert page.html.count("<tr id=") == 1


def test_a_row_leads_where_its_code_has_a_page() -> None:
    text = "# Rules\n\n| code |\n|---|\n| `block.repeated` |\n| `none` |\n"
    pages = {"block.repeated": "/docs/rules/block.repeated/"}
    html = read_page("rules", text, str, lambda code: pages.get(code, "")).html
    assert '<a href="/docs/rules/block.repeated/"><code>block.repeated</code></a>' in html
    assert "<td><code>none</code></td>" in html


def test_a_place_is_named_once() -> None:
    html = page_of("# cost\n\n| a |\n|---|\n| `har` |\n| `har` |\n| `cost` |\n").html
    assert html.count('id="har"') == 1
    assert html.count('id="cost"') == 1


def test_a_section_has_the_text_up_to_the_next_heading() -> None:
    page = page_of("# A\n\nOne\ntwo.\n\n```\ncurl -N\n```\n\n## B\n\n- three\n")
    assert [section.text for section in page.sections] == ["One two. curl -N", "three"]


def test_links_lead_where_the_library_says() -> None:
    assert '<a href="/docs/b.md#c">' in page_of("# A\n\n[b](b.md#c)").html


def test_what_cannot_be_shown_here_is_no_link() -> None:
    html = read_page(
        "a",
        "# A\n\n[the client](../clients/) and [b](b.md)\n",
        lambda link: "" if link.startswith("..") else link,
    ).html
    assert '<span>the client</span> and <a href="b.md">b</a>' in html


def test_markup_in_the_text_is_text() -> None:
    html = page_of(
        "# A\n\n<script>alert(1)</script> <b>b</b> [x](javascript:alert(1))\n\n![p](x.png)"
    ).html
    assert "<script" not in html and "<b>" not in html and "<img" not in html
    assert "javascript:alert(1)" in html and "href" not in html
    assert "<em>p</em>" in html


def test_a_page_of_several_sections_has_chapters_to_choose_from() -> None:
    long = page_of("# A\n\n## One\n\n### Below\n\n## Two\n\n## Three\n")
    assert [each.title for each in long.chapters] == ["One", "Two", "Three"]
    assert page_of("# A\n\n## One\n\n## Two\n").chapters == ()
