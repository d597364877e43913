"""Sections that are found by their words."""

from inspector.documentation.doc_page import read_page
from inspector.documentation.doc_search import DocHit, find_sections
from inspector.documentation.library import rule_pages

PAGES = (
    read_page("limits", "# Limits\n\nNone.\n\n## Of a stall\n\nA second.\n", str),
    read_page(
        "times", f"# Times\n\n## Stall\n\n{'So ' * 50}a stall is a long gap{' then' * 50}.\n", str
    ),
)


def found(text: str) -> list[tuple[str, str]]:
    return [(hit.page.name, hit.section.anchor) for hit in find_sections(PAGES, text)]


def first(text: str) -> DocHit:
    return find_sections(PAGES, text)[0]


def test_sections_with_most_words_in_them_or_in_the_titles_above_are_found() -> None:
    assert found("stall gap") == [("times", "stall")]
    assert found("times GAP") == [("times", "stall")]
    assert found("stall nowhere") == found("stall")
    assert found("nowhere") == []


def test_words_of_questions_are_not_looked_for_and_names_by_their_parts() -> None:
    assert found("why is the gap?") == [("times", "stall")]
    pages = (read_page("query", "# Query\n\n`first_token<2s` is a time.\n", str),)
    assert [hit.page.name for hit in find_sections(pages, "first token")] == ["query"]


def test_a_section_whose_own_words_say_nothing_of_it_is_not_found_by_its_page_alone() -> None:
    assert ("limits", "of-a-stall") not in found("limits")


def test_sections_with_the_word_in_their_heading_come_first() -> None:
    assert found("second") == [("limits", "of-a-stall")]
    assert found("stall")[0] == ("limits", "of-a-stall")


def test_the_text_around_the_first_word_is_shown_with_the_word_marked() -> None:
    hit = first("gap")
    assert hit.found == "gap"
    assert hit.before.startswith("… ") and hit.before.endswith("a stall is a long ")
    assert hit.after.startswith(" then") and hit.after.endswith(" …")


def test_nothing_is_asked_for_by_blanks_and_long_queries_are_bounded() -> None:
    assert found("  ") == []
    assert found("x" * 10_000) == []
    assert found("gap " * 5_000) != []


def test_titles_come_before_texts_and_endings_do_not_matter() -> None:
    pages = (
        read_page("sharing", "# Sharing\n\nDelete a link and captures are left.\n", str),
        read_page("changing", "# Changing and deleting\n\n`DELETE` removes a capture.\n", str),
        read_page("rules", "# Rules\n\n## Choices\n\nArguments that are truncated.\n", str),
        read_page("run", "# Capture a program\n\nIt captures; delete them later.\n", str),
        *rule_pages(),
    )
    for text, name in (
        ("deletes captures", "changing"),
        ("arguments truncated", "rules/tool.arguments-truncated"),
        ("share a link outside", "sharing"),
        ("stalled", "rules/timing.stall"),
    ):
        assert find_sections(pages, text)[0].page.name == name
