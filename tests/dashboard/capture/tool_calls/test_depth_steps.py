from inspector.dashboard.capture.tool_calls.bracket_depth import DepthStep, depth_steps, pieces_of


def depths(*pieces: str) -> list[int]:
    return [step.depth for step in depth_steps(pieces)]


def test_each_piece_says_how_many_brackets_are_open_after_it() -> None:
    assert depths('{"legs":', "[{", '"a":1}', "]}") == [1, 3, 2, 0]


def test_brackets_inside_strings_do_not_count() -> None:
    assert depths('{"a":"[[', '{{"', "}") == [1, 1, 0]


def test_a_piece_that_ends_inside_a_string_says_so() -> None:
    steps = list(depth_steps(['{"na', 'me":"te\\', "n", 'xt"', "}"]))
    assert [step.is_in_string for step in steps] == [True, True, True, False, False]


def test_only_a_text_that_is_json_is_whole() -> None:
    assert [step.is_whole for step in depth_steps(["{", '"a":1', "}", " "])] == [
        False, False, True, True,
    ]  # fmt: skip


def test_from_the_breaking_piece_on_it_stays_broken() -> None:
    assert list(depth_steps(["{[", "}", '"a"']))[1:] == [DepthStep(1, False, False, True)] * 2
    assert [step.is_broken for step in depth_steps(["{", "}", "{"])] == [False, False, True]


def test_pieces_are_cut_in_utf_16_units() -> None:
    assert list(pieces_of("a😀b", [0, 1, 3])) == ["a", "😀", "b"]
    assert list(pieces_of("abc", [0, 0, 2])) == ["", "ab", "c"]
    assert list(pieces_of("a😀", [0, 2])) == ["a\ud83d", "\ude00"]
