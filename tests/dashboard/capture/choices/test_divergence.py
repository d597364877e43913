from inspector.dashboard.capture.choices.divergence import Divergence, find_divergence


def test_answers_part_at_the_beginning_of_a_word() -> None:
    apart = find_divergence(["Ship from Rotterdam.", "Ship from Rome."])
    assert apart == Divergence(10, ("Rotterdam.", "Rome."))


def test_a_text_that_ends_at_the_fork_has_no_word() -> None:
    assert find_divergence(["One two", "One two three"]) == Divergence(7, ("", "three"))
    assert find_divergence(["One two ", "One two three"]) == Divergence(8, ("", "three"))


def test_space_at_the_end_is_a_difference() -> None:
    apart = find_divergence(["One two", "One two "])
    assert apart is not None and not apart.same


def test_equal_answers_are_the_same() -> None:
    apart = find_divergence(["Same", "Same", "Same"])
    assert apart is not None and apart.same and apart.shared == 4


def test_nothing_is_compared_with_one_answer_or_with_silence() -> None:
    assert find_divergence(["One"]) is None
    assert find_divergence(["One", ""]) is None
    assert find_divergence(["One", "Two"]) is None


def test_writing_without_spaces_parts_where_it_parts() -> None:
    shared = "東京の天気は晴れで気温は二十度くらいになるでしょう。明日は雨が降る"
    apart = find_divergence([shared + "と思います", shared + "かもしれません"])
    assert apart is not None and apart.shared == len(shared)
