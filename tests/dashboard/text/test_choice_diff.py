from inspector.core.completion import Choice, ToolCall
from inspector.dashboard.templatetags.passages import diff_html
from inspector.dashboard.text.choice_diff import LONG, MAX_CHARACTERS, ChoiceDiffRun, diff_choices
from inspector.formatting.invisible_characters import TextSegment
from tests.dashboard.capture.block_samples import hosted


def saying(*texts: str) -> tuple[Choice, ...]:
    return tuple(Choice(index=number, content=text) for number, text in enumerate(texts))


def test_a_fork_stands_before_the_first_difference() -> None:
    (part,) = diff_choices(saying("from Rotterdam today", "from Leipzig today"), "0-1").parts
    assert part.runs == (
        ChoiceDiffRun("", (TextSegment("from "),)),
        ChoiceDiffRun("fork"),
        ChoiceDiffRun("removed", (TextSegment("Rotterdam"),)),
        ChoiceDiffRun("added", (TextSegment("Leipzig"),)),
        ChoiceDiffRun("", (TextSegment(" today"),)),
    )
    assert "<del>Rotterdam</del><ins>Leipzig</ins> today" in diff_html(part.runs)


def test_any_two_can_be_asked_for_and_the_first_two_are_else() -> None:
    choices = saying("a", "b", "c")
    found = [diff_choices(choices, asked) for asked in ("2-1", "", "1-1", "0-9", "x-y", "1", "--")]
    assert [(each.before, each.after) for each in found] == [(2, 1)] + [(0, 1)] * 6


def test_parts_are_compared_apart_and_those_that_nobody_says_are_left_out() -> None:
    before = Choice(index=0, content="a", reasoning="why", tool_calls=(call("{}"),))
    after = Choice(index=1, content="a", reasoning="how", refusal="no", tool_calls=(call("{ }"),))
    parts = diff_choices((before, after), "0-1").parts
    assert [part.name for part in parts] == ["reasoning", "refusal", "answer", "tool calls"]
    assert parts[2].sentence == "The same in both, 1 character." and parts[2].runs == ()
    assert diff_choices((Choice(index=0), Choice(index=1, content=None)), "").parts == ()


def call(arguments: str) -> ToolCall:
    return ToolCall(index=0, name="look", arguments_text=arguments)


def test_a_long_stretch_that_is_the_same_is_folded() -> None:
    same = "word " * 400
    (part,) = diff_choices(saying(f"{same}one", f"{same}two"), "0-1").parts
    first = part.runs[0]
    assert len(same) > LONG and first.folded_length == len(same) - 800
    told = [segment.text for segment in (*first.text, *first.folded, *first.end)]
    assert "".join(told) == same
    assert "1,200 more characters that are the same" in diff_html(part.runs)


def test_what_is_too_long_is_said_to_be() -> None:
    long = "word " * (MAX_CHARACTERS // 5 + 1)
    (part,) = diff_choices(saying(long, "short"), "0-1").parts
    assert part.sentence.startswith("Too long to compare on a page: 200,005 and 5 characters.")
    assert part.sentence.endswith("They differ from character 1.")
    assert [run.kind for run in part.runs] == ["removed", "added"]
    numbers = " ".join(map(str, range(MAX_CHARACTERS // 5)))
    (part,) = diff_choices(saying(numbers, numbers.replace("20000", "twenty")), "0-1").parts
    assert part.sentence.endswith(f"They differ from character {numbers.index('20000') + 1:,}.")
    assert [run.kind for run in part.runs] == ["", "fork", "removed", "added", ""]
    words = "a b c d e f g h i j\n" * 4_000
    (by_line,) = diff_choices(saying(words, words.upper()), "0-1").parts
    assert by_line.sentence.endswith("compared by line.") and by_line.runs


def test_of_many_choices_those_near_are_offered() -> None:
    many = diff_choices(saying(*map(str, range(500))), "250-3")
    assert many.befores[0] == 0 and many.befores[-1] == 499
    assert 230 in many.befores and 269 in many.befores and 200 not in many.befores
    assert many.afters[:5] == (0, 1, 2, 3, 4)


def test_what_the_provider_ran_is_compared() -> None:
    one, other = hosted({"query": "a"}), hosted({"query": "b"})
    before, after = Choice(index=0, blocks=(one,)), Choice(index=1, blocks=(other,))
    (part,) = diff_choices((before, after), "0-1").parts
    assert part.name == "run by the provider"
    assert "<del>a</del><ins>b</ins>" in diff_html(part.runs)
