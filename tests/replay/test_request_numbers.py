from inspector.replay.request_numbers import MAX_KEYS, RequestNumbers


def test_each_key_counts_for_itself() -> None:
    numbers = RequestNumbers()
    assert [numbers.next("a"), numbers.next("a"), numbers.next("b"), numbers.next("a")] == [
        0, 1, 0, 2,
    ]  # fmt: skip


def test_the_key_that_was_longest_not_asked_for_is_forgotten() -> None:
    numbers = RequestNumbers()
    for key in range(MAX_KEYS):
        numbers.next(key)
    numbers.next(0)
    numbers.next("one more")
    assert (numbers.next(0), numbers.next(2), numbers.next(1)) == (2, 1, 0)
