from typing import Any

import pytest

from inspector.dashboard.capture.choices.footnotes import (
    MAX_NOTES,
    annotation_footnotes,
    source_footnotes,
    source_marks,
)
from inspector.dashboard.capture.choices.passages import FootnoteMark
from inspector.formatting.invisible_characters import TextSegment

TEXT = "Version 4.0.6 is the latest."


def citation(**fields: Any) -> dict[str, Any]:
    return {"type": "url_citation", "url_citation": fields}


def test_a_citation_marks_the_end_of_what_it_stands_for() -> None:
    entry = citation(url="https://x.example/a", title="Downloads", start_index=8, end_index=13)
    (note,) = annotation_footnotes([entry], 0, TEXT).notes
    assert note.mark == FootnoteMark(8, 13, "note-0-1", "1")
    assert (note.address, note.host) == ("https://x.example/a", "x.example")
    assert note.words == (TextSegment("Downloads"),)
    assert note.aside == "for characters 8 to 13"


@pytest.mark.parametrize(
    "start, end", [(0, 0), (13, 8), (-1, 4), (0, len(TEXT) + 1), (True, 4), ("0", "4"), (1.0, 4)]
)
def test_indexes_that_are_no_place_in_text_are_told_and_mark_nothing(start: Any, end: Any) -> None:
    (note,) = annotation_footnotes([citation(start_index=start, end_index=end)], 0, TEXT).notes
    assert note.mark is None
    assert note.aside.startswith("no place in the text: its indexes are ")


def test_an_annotation_without_indexes_says_so() -> None:
    (note,) = annotation_footnotes([citation(url="https://x.example")], 0, TEXT).notes
    assert (note.mark, note.aside) == (None, "place in the text not sent")


def test_fields_may_stand_beside_the_type() -> None:
    (note,) = annotation_footnotes(
        [{"type": "url_citation", "url": "https://x.example/"}], 2, ""
    ).notes
    assert (note.id, note.host) == ("note-2-1", "x.example")


@pytest.mark.parametrize(
    "entry, words",
    [
        ({"type": "file", "file": {"name": "plan.pdf", "hash": "ab"}}, "plan.pdf"),
        ({"type": "other"}, "other"),
        ("https://x.example", '"https://x.example"'),
        (None, "null"),
        ({"title": 7, "type": []}, '{"title": 7, "type": []}'),
        ({"title": "a\u202eb"}, "a[RLO]b"),
        ({"title": "x" * 300}, "x" * 199 + "…"),
    ],
)
def test_every_annotation_is_told_somehow(entry: Any, words: str) -> None:
    (note,) = annotation_footnotes([entry], 0, TEXT).notes
    assert "".join(segment.text for segment in note.words) == words


def members(entry: Any) -> list[tuple[str, str]]:
    (note,) = annotation_footnotes([entry], 0, TEXT).notes
    return [(each.name, "".join(part.text for part in each.value.head)) for each in note.members]


@pytest.mark.parametrize(
    ("entry", "words", "kind", "told"),
    [
        (
            {"type": "file_citation", "index": 4, "file_id": "file-2d", "filename": "blog.pdf"},
            "blog.pdf",
            "file_citation",
            [("index", "4"), ("file_id", "file-2d")],
        ),
        (
            {"type": "file_citation", "file_citation": {"file_id": "file-2d", "quote": None}},
            "file_citation",
            "",
            [("file_id", "file-2d"), ("quote", "null")],
        ),
        (
            {"type": "file_path", "file_path": {"file_id": ""}},
            "file_path",
            "",
            [("file_id", "empty string")],
        ),
        (
            citation(url="https://x.example/a", title="Downloads", start_index=8, end_index=13),
            "Downloads",
            "url_citation",
            [("url", "https://x.example/a")],
        ),
        (
            {"type": "mood", "level": {"calm": 0.5}},
            "mood",
            "",
            [("", '{"type": "mood", "level": {"calm": 0.5}}')],
        ),
        ({"type": "mood"}, "mood", "", []),
        (7, "7", "", []),
    ],
)
def test_every_kind_of_annotation_is_told_in_full(
    entry: Any, words: str, kind: str, told: list[tuple[str, str]]
) -> None:
    (note,) = annotation_footnotes([entry], 0, TEXT).notes
    assert ("".join(part.text for part in note.words), note.kind) == (words, kind)
    assert members(entry) == told


def test_a_long_title_is_told_in_full_below_its_clipped_words() -> None:
    ((name, value),) = members(citation(title="x" * 250))
    assert (name, value) == ("title", "x" * 250)


def test_a_long_member_is_folded_and_all_of_them_have_one_limit() -> None:
    entry = {"type": "file_citation", "file_id": "a" * 30_000}
    (note,) = annotation_footnotes([entry], 0, TEXT).notes
    assert (note.members[0].value.rest_length, note.members[0].value.left_out) == (10_000, 19_700)
    notes = annotation_footnotes([entry] * 50, 0, TEXT).notes
    shown = sum(len(each.members[0].value.rest) for each in notes)
    assert shown < 50


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "/team/", "data:text/html,x", 7, None, "https://x.example/" * 200],
)
def test_an_address_that_leads_nowhere_is_no_link(url: Any) -> None:
    (note,) = annotation_footnotes([citation(url=url, title="t")], 0, TEXT).notes
    assert (note.address, note.host) == ("", "")


def test_many_annotations_are_counted() -> None:
    found = annotation_footnotes([{"type": "other"}] * (MAX_NOTES + 3), 0, "")
    assert (len(found.notes), found.more) == (MAX_NOTES, 3)


@pytest.mark.parametrize("sent", [None, "x", {}, 7])
def test_what_is_no_list_has_no_annotations(sent: Any) -> None:
    assert annotation_footnotes(sent, 0, TEXT).notes == ()


def test_lists_of_the_same_sources_are_one() -> None:
    found = source_footnotes(
        {
            "/citations": ["https://a.example/1", "https://b.example/"],
            "/search_results": [
                {"title": "First", "url": "https://a.example/1", "date": "2026-01-02"}
            ],
        }
    )
    told = [(note.number, note.words[0].text, note.host, note.aside) for note in found.notes]
    assert told == [
        (1, "First", "a.example", "2026-01-02"),
        (2, "https://b.example/", "b.example", ""),
    ]
    assert source_footnotes({"/citations": "none", "/search_results": None}).notes == ()
    assert [note.words[0].text for note in source_footnotes({"/citations": [7, None]}).notes] == [
        "7",
        "null",
    ]


def test_a_number_in_brackets_leads_to_its_source() -> None:
    sources = source_footnotes({"/citations": ["https://a.example", "https://b.example"]})
    marks = list(source_marks(sources, "So[1][2], not [3] or [0] or [1](https://c.example)."))
    assert marks == [FootnoteMark(2, 5, "source-1"), FootnoteMark(5, 8, "source-2")]
