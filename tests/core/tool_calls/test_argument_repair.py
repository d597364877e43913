import pytest

from inspector.core.completion import ArgumentsState, ToolCall
from inspector.core.json import parser
from inspector.core.json.edits import EditKind, EditProposal
from inspector.core.tool_calls.argument_repair import (
    MAX_CHARACTERS,
    MAX_LENIENT,
    propose_argument_repair,
)
from inspector.core.tool_calls.arguments import examine_arguments

SIGNS = {EditKind.KEPT: "{}", EditKind.PUT_IN: "<+{}>", EditKind.LEFT_OUT: "<-{}>"}


def call(text: str) -> ToolCall:
    found = examine_arguments(text)
    return ToolCall(
        index=0,
        arguments_text=text,
        arguments_state=found.state,
        arguments_cause=found.cause,
        invalid_at=found.invalid_at,
    )


def drawn(proposal: EditProposal | None) -> str:
    """The passages in one line, what is put in as ``<+…>`` and what is left out as ``<-…>``."""
    if proposal is None:
        return "none"
    return "".join(SIGNS[each.change].format(each.text) for each in proposal.passages)


@pytest.mark.parametrize(
    "text, wanted",
    [
        ('{"legs":[{"carrier":"dpd","collect_', '{"legs":[{"carrier":"dpd","collect_<+":null}]}>'),
        ('{"a":', '{"a":<+null}>'),
        ('{"a"', '{"a"<+:null}>'),
        ('{"a":"x,', '{"a":"x,<+"}>'),
        ('{"a":tru', '{"a":tru<+e}>'),
        ('{"a":1.', '{"a":1.<+0}>'),
        ('{"a":12', '{"a":12<+}>'),
        ("[", "[<+]>"),
        ('{"a":1, ', '{"a":1<-, ><+}>'),
        ("[1,", "[1<-,><+]>"),
        ('{"a":"b\\u12', '{"a":"b<-\\u12><+"}>'),
        ('{"a":"b\\', '{"a":"b<-\\><+"}>'),
    ],
)
def test_what_was_cut_is_closed(text: str, wanted: str) -> None:
    assert drawn(propose_argument_repair(call(text))) == wanted


@pytest.mark.parametrize(
    "text, wanted",
    [
        ('{"a":1} thanks', '{"a":1} <-thanks>'),
        ('{"a":1}{"a":1}', '{"a":1}<-{"a":1}>'),
        ('{}{"a":1}', '<-{}>{"a":1}'),
        ('```json\n{"a":1}\n```', '<-```json\n>{"a":1}<-\n```>'),
        ('{"a":"x\ny","b\t":"\\n"}', '{"a":"x<-\n><+\\n>y","b<-\t><+\\t>":"\\n"}'),
        ('"{\\"a\\":\\"x\\\\n\\"}"', '<-">{<-\\>"a<-\\>":<-\\>"x<-\\>\\n<-\\>"}<-">'),
        ('{"a":1,}', '{"a":1<-,>}'),
        ('{"a": oops}', '{"a": <-oops><+"oops">}'),
        ("{'a': True}", "{<-'a'><+\"a\">: <-True><+true>}"),
        ('{"é":"\\u00e9" "b":1.10 }', '{"é":"\\u00e9"<+,> "b":1.10 }'),
    ],
)
def test_what_breaks_has_the_remedy_of_its_cause(text: str, wanted: str) -> None:
    proposal = propose_argument_repair(call(text))
    assert drawn(proposal) == wanted
    assert proposal is not None and parser.parse_json(proposal.text.encode()).fatal is None


@pytest.mark.parametrize("text", ['{"a":1}', "", '{"a":1}{"b":2}', "hello", "1" * 5_000, "[" * 70])
def test_nothing_is_proposed_where_nothing_is_wrong_or_nothing_better_is_known(text: str) -> None:
    assert propose_argument_repair(call(text)) is None


def test_free_text_is_left_alone() -> None:
    assert propose_argument_repair(ToolCall(index=0, arguments_text="ls {",
                            arguments_state=ArgumentsState.FREE_TEXT)) is None  # fmt: skip


def test_a_proposal_counts_what_it_changes() -> None:
    proposal = propose_argument_repair(call('{"a":"b\\u12'))
    assert proposal is not None
    assert (proposal.length(EditKind.PUT_IN), proposal.length(EditKind.LEFT_OUT)) == (2, 4)


@pytest.mark.parametrize(
    "text",
    [
        '{"a":"' + "x" * MAX_CHARACTERS,
        '{"a":[' + "oops," * (MAX_LENIENT // 5) + "]}",
        '{"a":"' + "x\n" * 1_000 + '"}',
    ],
    ids=("too long", "too long for the library", "too many changes"),
)
def test_what_is_over_a_bound_gets_none(text: str) -> None:
    assert propose_argument_repair(call(text)) is None


def test_a_text_with_half_a_surrogate_pair_raises_nothing() -> None:
    assert drawn(propose_argument_repair(call('{"a":"\ud800'))) == '{"a":"\ud800<+"}>'
