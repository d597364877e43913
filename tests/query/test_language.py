import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.query.language import MAX_CHARACTERS, MAX_DEPTH, MAX_TERMS, parse
from inspector.query.tree import (
    AllOf,
    AnyOf,
    Node,
    Not,
    Operator,
    QueryTerm,
    QueryValue,
    Words,
    either,
    every,
)


def term(name: str, *values: str, operator: Operator = Operator.IS) -> QueryTerm:
    return QueryTerm(name, operator, tuple(map(QueryValue, values)))


A, B, C = Words("a"), Words("b"), Words("c")


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("", ()),
        ("  \n\t ", ()),
        ("a", (A,)),
        ("a b", (A, B)),
        ('"a b"', (Words("a b", is_phrase=True),)),
        (r'"a \"b\" \\"', (Words('a "b" \\', is_phrase=True),)),
        ("-a", (Not(A),)),
        ("--a", (Not(Not(A)),)),
        ("a or b", (AnyOf((A, B)),)),
        ("a OR b", (AnyOf((A, B)),)),
        ("a or b or c", (AnyOf((A, B, C)),)),
        ("a b or c", (AnyOf((AllOf((A, B)), C)),)),
        ("a (b or c)", (A, AnyOf((B, C)))),
        ("(a)", (A,)),
        ("((a b) c)", (A, B, C)),
        ("-(a b)", (Not(AllOf((A, B))),)),
        ("-(a or b)", (Not(AnyOf((A, B))),)),
        ("()", ()),
        ('"or"', (Words("or", is_phrase=True),)),
        ("order", (Words("order"),)),
        ("hello, world", (Words("hello,"), Words("world"))),
        ("12:30", (Words("12:30"),)),
        ("well-known", (Words("well-known"),)),
        ("vendor:openai", (term("vendor", "openai"),)),
        ("vendor:openai,azure", (term("vendor", "openai", "azure"),)),
        ('tag:"eu west",b', (term("tag", "eu west", "b"),)),
        ("-vendor:openai", (Not(term("vendor", "openai")),)),
        ("first_token>2s", (term("first_token", "2s", operator=Operator.MORE),)),
        ("first_token>=2s", (term("first_token", "2s", operator=Operator.AT_LEAST),)),
        ("first_token:>=2s", (term("first_token", "2s", operator=Operator.AT_LEAST),)),
        ("cost<0.01", (term("cost", "0.01", operator=Operator.LESS),)),
        ("cost<=0.01", (term("cost", "0.01", operator=Operator.AT_MOST),)),
        ("tokens.out:10..20", (term("tokens.out", "10..20"),)),
        ("metadata.user-id:42", (term("metadata.user-id", "42"),)),
        ("since:2026-11-01T10:00:00Z", (term("since", "2026-11-01T10:00:00Z"),)),
        ("model:gpt-4*", (QueryTerm("model", Operator.IS, (QueryValue("gpt-4*", True),)),)),
        ("model:*4o*", (QueryTerm("model", Operator.IS, (QueryValue("*4o*", True),)),)),
        ('model:"gpt*"', (term("model", "gpt*"),)),
        ('user:""', (term("user", ""),)),
        ("(vendor:a)", (term("vendor", "a"),)),
        ("modèle:x", (term("modèle", "x"),)),
    ],
)
def test_a_text_becomes_a_tree(text: str, nodes: tuple[Node, ...]) -> None:
    found = parse(text)
    assert found.tree == AllOf(nodes)
    assert found.mistakes == ()


@pytest.mark.parametrize(
    ("text", "what", "wrong", "left"),
    [
        ("vendor:", "has no value here", "", ""),
        ("vendor: openai", "has no value here", "", "openai"),
        ("vendor:a,", "has no value here", "", "vendor:a"),
        ("a )b", "closes a parenthesis that was not opened", ")", "a b"),
        ("a (b", "opens a parenthesis that is not closed", "(", "a b"),
        ('a "b c', "opens a quotation mark that is not closed", '"b c', "a"),
        ('a ""', "has no words", '""', "a"),
        ("or a", "“or” stands behind nothing", "or", "a"),
        ("a or", "“or” stands before nothing", "a or", "a"),
        ("a -", "“-” stands before nothing", "-", "a"),
        ("(a -)", "“-” stands before nothing", "-", "a"),
        ("m:*", "has a value of nothing but *; did you mean has:m?", "*", ""),
        ("m:g*t", "has a * in the middle of a value: it may stand at", "g*t", ""),
        ("m:**t", "has a * in the middle of a value", "**t", ""),
        ("a\0b", "holds a character that no text here does", "\0", ""),
        ("a\ud800b", "holds a character that no text here does", "\ud800", ""),
    ],
)
def test_a_mistake_has_its_place(text: str, what: str, wrong: str, left: str) -> None:
    found = parse(text)
    (mistake,) = found.mistakes
    assert mistake.what.startswith(what)
    assert mistake.span is not None
    assert text[slice(*mistake.span)] == wrong
    assert str(found.tree) == left


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("a" * (MAX_CHARACTERS + 1), "has more than 2,000 characters"),
        ("(" * 10_000, "has more than 2,000 characters"),
        ("(" * 2_000, "is nested more than 10 deep"),
        ("-" * 2_000 + "a", "has more than 2,000 characters"),
        ("-" * 1_999 + "a", "is nested more than 10 deep"),
        ('"' * 1_999, "has more than 50 terms"),
        ("a " * (MAX_TERMS + 1), "has more than 50 terms"),
    ],
)
def test_beyond_a_limit_nothing_is_left(text: str, what: str) -> None:
    found = parse(text)
    assert found.mistakes[-1].what == what
    assert found.tree == AllOf()


def test_up_to_the_limits_all_is_read() -> None:
    assert not parse("a " * MAX_TERMS).mistakes
    assert not parse("(" * MAX_DEPTH + "a" + ")" * MAX_DEPTH).mistakes
    assert not parse("a" * MAX_CHARACTERS).mistakes


def test_spans_say_where_terms_stand() -> None:
    text = 'late vendor:openai,azure (a or "b c")'
    spans = [text[slice(*each.span)] for each in parse(text).tree.nodes]
    assert spans == ["late", "vendor:openai,azure", 'a or "b c"']


PLAIN = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)
NAMES = st.from_regex(r"[a-z_][a-z0-9_.]{0,6}", fullmatch=True)
VALUES = st.builds(QueryValue, PLAIN) | st.builds(
    QueryValue, st.from_regex(r"\*?[a-z0-9-]{1,4}\*", fullmatch=True), st.just(True)
)
LEAVES = st.one_of(
    st.builds(
        QueryTerm,
        NAMES,
        st.sampled_from(Operator),
        st.lists(VALUES, min_size=1, max_size=3).map(tuple),
    ),
    st.builds(Words, PLAIN.filter(str.strip), st.just(True)),
    st.builds(Words, st.from_regex(r"[a-z]{1,6}", fullmatch=True).filter(lambda w: w != "or")),
)


def joined(nodes: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    several = st.lists(nodes, min_size=2, max_size=3)
    return st.one_of(
        nodes.map(Not),
        several.map(lambda each: every(each, (0, 0))),
        several.map(lambda each: either(each, (0, 0))),
    )


@given(st.recursive(LEAVES, joined, max_leaves=6))
def test_the_text_of_a_tree_is_parsed_to_the_same_tree(node: Node) -> None:
    tree = node if isinstance(node, AllOf) else AllOf((node,))
    found = parse(str(tree))
    assert found.mistakes == ()
    assert found.tree == tree


@given(st.text(max_size=80) | st.text('ab:"()-,*<>=. or\\', max_size=80))
def test_any_text_is_read_and_its_text_is_read_to_the_same(text: str) -> None:
    found = parse(text)
    for mistake in found.mistakes:
        assert mistake.span is not None
        assert 0 <= mistake.span[0] <= mistake.span[1] <= len(text)
    again = parse(str(found.tree))
    assert (again.tree, again.mistakes) == (found.tree, ())
