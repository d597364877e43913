from inspector.dashboard.passages import Mark, Passage, Run, Shared, passage
from inspector.dashboard.templatetags.passages import passage as written


def told(runs: tuple[Run, ...]) -> list[tuple[str, str, str]]:
    return [(run.kind, "".join(part.text for part in run.text), run.to) for run in runs]


def shown(text: str, shared: Shared | None = None, *marks: Mark) -> list[tuple[str, str, str]]:
    return told(passage("content", text, None, shared, marks).shown)


def test_a_text_without_anything_is_one_run() -> None:
    assert shown("As it is.") == [("", "As it is.", "")]


def test_a_fork_stands_between_what_is_shared_and_what_is_not() -> None:
    assert shown("One two", Shared(4, True)) == [
        ("same", "One ", ""),
        ("fork", "", ""),
        ("", "two", ""),
    ]
    assert shown("One", Shared(3, False)) == [("same", "One", "")]


def test_a_footnote_stands_behind_what_it_is_for() -> None:
    mark = Mark(0, 3, "note-0-1", "1")
    assert shown("One two", None, mark) == [
        ("", "One", ""), ("note", "1", "note-0-1"), ("", " two", ""),
    ]  # fmt: skip
    assert shown("One", None, mark)[-1] == ("note", "1", "note-0-1")


def test_a_place_without_a_label_is_the_link() -> None:
    assert shown("So [1].", None, Mark(3, 6, "source-1")) == [
        ("", "So ", ""), ("", "[1]", "source-1"), ("", ".", ""),
    ]  # fmt: skip


def test_footnotes_and_forks_cross() -> None:
    runs = shown("One two three", Shared(4, True), Mark(0, 7, "n", "1"), Mark(2, 4, "m", "2"))
    assert [(kind, text) for kind, text, _ in runs] == [
        ("same", "On"), ("same", "e "), ("note", "2"), ("fork", ""), ("", "two"), ("note", "1"),
        ("", " three"),
    ]  # fmt: skip


def test_what_stands_at_a_fold_stands_there_once() -> None:
    text = "x" * 5_000
    marks = [Mark(0, 2_000, "n", "1")]
    folded = passage("content", text, None, Shared(2_000, True), marks)
    assert [kind for kind, _, _ in told((*folded.shown, *folded.folded))] == [
        "same", "note", "fork", "",
    ]  # fmt: skip


def test_nothing_is_written_between_the_parts() -> None:
    html = written(passage("content", "a\u202eb c", None, Shared(2, True), [Mark(0, 1, "n", "1")]))
    assert html == (
        '<span class="same">a</span><sup data-uncopied><a href="#n" aria-label="Source 1">1</a></sup>'
        '<span class="same"><i class="mark" data-code="202e">[RLO]</i></span>'
        '<span class="fork" aria-hidden="true"></span>b c'
    )
    assert (
        written(Passage("content", 0, absent="null"))
        == '<code class="faint" data-uncopied>null</code>'
    )
