"""Parts of words: one of a capture where they fit."""

from inspector.core.search.searchable_texts import TextKind
from inspector.core.search.word_parts import (
    BREAK,
    KIND_PARTS,
    PART_REPETITIONS,
    PART_WORDS,
    word_parts,
)


def test_texts_of_all_kinds_stand_in_one_part_apart_from_each_other() -> None:
    [part] = word_parts(
        {
            TextKind.ANSWER: ("Rain, later.", "Sun"),
            TextKind.REASONING: (),
            TextKind.PROMPT: ("How is it?",),
        }
    )
    assert part.number == 0
    assert part.words == ("rain", "later", BREAK, "sun", BREAK, "how", "is", "it")


def test_texts_without_words_have_no_part() -> None:
    assert word_parts({TextKind.ANSWER: ("?!", ""), TextKind.PROMPT: ()}) == []


def test_where_one_part_is_not_enough_each_kind_has_its_own() -> None:
    answer = " ".join(f"w{number}" for number in range(PART_WORDS))
    parts = word_parts({TextKind.ANSWER: (answer,), TextKind.PROMPT: ("How is it?",)})
    assert [part.number for part in parts] == list(range(len(parts)))
    assert parts[-1].words[-3:] == ("how", "is", "it")
    assert "how" not in {word for part in parts[:-1] for word in part.words}


def test_a_kind_of_endless_repetitions_leaves_room_for_the_others() -> None:
    answer = "again " * PART_REPETITIONS * (KIND_PARTS + 9)
    parts = word_parts({TextKind.ANSWER: (answer,), TextKind.PROMPT: ("How is it?",)})
    assert len(parts) == KIND_PARTS + 1
    assert parts[-1].words[-3:] == ("how", "is", "it")
