from inspector.dashboard.capture.choices.passages import (
    FootnoteMark,
    PassageRun,
    SharedPrefix,
    TextPassage,
    text_passage,
)
from inspector.dashboard.templatetags.passages import passage_html as written


def told(runs: tuple[PassageRun, ...]) -> list[tuple[str, str, str]]:
    return [(run.kind, "".join(part.text for part in run.text), run.to) for run in runs]


def visible_runs(
    text: str, shared: SharedPrefix | None = None, *marks: FootnoteMark
) -> list[tuple[str, str, str]]:
    return told(text_passage("content", text, None, shared, marks).visible_runs)


def test_a_text_without_anything_is_one_run() -> None:
    assert visible_runs("As it is.") == [("", "As it is.", "")]


def test_a_fork_stands_between_what_is_shared_and_what_is_not() -> None:
    assert visible_runs("One two", SharedPrefix(4, True)) == [
        ("same", "One ", ""),
        ("fork", "", ""),
        ("", "two", ""),
    ]
    assert visible_runs("One", SharedPrefix(3, False)) == [("same", "One", "")]


def test_a_footnote_stands_behind_what_it_is_for() -> None:
    mark = FootnoteMark(0, 3, "note-0-1", "1")
    assert visible_runs("One two", None, mark) == [
        ("", "One", ""), ("note", "1", "note-0-1"), ("", " two", ""),
    ]  # fmt: skip
    assert visible_runs("One", None, mark)[-1] == ("note", "1", "note-0-1")


def test_a_place_without_a_label_is_the_link() -> None:
    assert visible_runs("So [1].", None, FootnoteMark(3, 6, "source-1")) == [
        ("", "So ", ""), ("", "[1]", "source-1"), ("", ".", ""),
    ]  # fmt: skip


def test_footnotes_and_forks_cross() -> None:
    runs = visible_runs(
        "One two three",
        SharedPrefix(4, True),
        FootnoteMark(0, 7, "n", "1"),
        FootnoteMark(2, 4, "m", "2"),
    )
    assert [(kind, text) for kind, text, _ in runs] == [
        ("same", "On"), ("same", "e "), ("note", "2"), ("fork", ""), ("", "two"), ("note", "1"),
        ("", " three"),
    ]  # fmt: skip


def test_what_stands_at_a_fold_stands_there_once() -> None:
    text = "x" * 5_000
    marks = [FootnoteMark(0, 2_000, "n", "1")]
    folded = text_passage("content", text, None, SharedPrefix(2_000, True), marks)
    assert [kind for kind, _, _ in told((*folded.visible_runs, *folded.folded))] == [
        "same", "note", "fork", "",
    ]  # fmt: skip


def test_nothing_is_written_between_the_parts() -> None:
    html = written(
        text_passage(
            "content", "a\u202eb c", None, SharedPrefix(2, True), [FootnoteMark(0, 1, "n", "1")]
        )
    )
    assert html == (
        '<span class="same">a</span><sup data-uncopied><a href="#n" aria-label="Source 1">1</a></sup>'
        '<span class="same"><i class="mark" data-code="202e">[RLO]</i></span>'
        '<span class="fork" aria-hidden="true"></span>b c'
    )
    assert (
        written(TextPassage("content", 0, absent="null"))
        == '<code class="faint" data-uncopied>null</code>'
    )
