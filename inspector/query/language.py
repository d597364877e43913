"""Parses the text of a query into its tree, in linear time.

    query    = all *("or" all)
    all      = *item
    item     = ["-"] ( "(" query ")" / term / words )
    term     = field (":" / ">" / ">=" / "<" / "<=") value *("," value)
    value    = quoted / characters other than space, quotation mark, comma and parenthesis
    words    = quoted / characters other than space, quotation mark and parenthesis

What is wrong is returned beside the tree, with its place; it is left out of the tree.
"""

import re
from dataclasses import dataclass, field

from inspector.query.tree import (
    AllOf,
    AnyOf,
    Node,
    Not,
    Operator,
    QueryTerm,
    QueryValue,
    Span,
    Words,
    either,
    every,
)

MAX_CHARACTERS = 2_000
"""It stands in the address of a list."""
MAX_TERMS = 50
"""Each is a condition of the statement, and many are a query of their own in it."""
MAX_DEPTH = 10
"""The parser calls itself for each."""
ANY = "*"
OR = ("or", "OR")

# Also none: it tells where the next item begins.
_SPACE = re.compile(r"\s*")
# As in '"a \"b\""'.
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
# As in '\"' inside of quotes.
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
# As in "first_token>", "model:".
_FIELD = re.compile(r"([^\W\d][\w.\-]*+)(:(?:>=|<=|>|<)?|>=|<=|>|<)")
# As in "gpt-4o" of "model:gpt-4o,o1".
_VALUE = re.compile(r'[^\s(),"]*')
# As in "thursday".
_WORD = re.compile(r'[^\s()"]+')
# PostgreSQL stores no NUL, and a lone surrogate is no character of any encoding.
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class FilterMistake:
    """An error in a filter, which is left out; ``what`` goes on from ``name``."""

    name: str
    what: str
    value: str = ""
    span: Span | None = None
    """Where it is in the text of the query; None where it is not in it."""
    near: str = ""
    """The nearest text that would be understood in its place."""

    @property
    def sentence(self) -> str:
        return f"{self.what}; did you mean {self.near}?" if self.near else self.what


@dataclass(frozen=True, slots=True)
class ParsedText:
    tree: AllOf
    mistakes: tuple[FilterMistake, ...] = ()


def parse(text: str) -> ParsedText:
    """Parse a query; one beyond the limits has an empty tree."""
    if len(text) > MAX_CHARACTERS:
        return _refused(f"has more than {MAX_CHARACTERS:,} characters", (MAX_CHARACTERS, len(text)))
    if found := _UNSTORABLE.search(text):
        return _refused("holds a character that no text here does", found.span())
    try:
        return _Parser(text).parse()
    except _BeyondLimit as error:
        return _refused(str(error), (error.at, len(text)))


def _refused(what: str, span: Span) -> ParsedText:
    return ParsedText(AllOf(), (FilterMistake("q", what, span=span),))


class _BeyondLimit(Exception):
    def __init__(self, what: str, at: int) -> None:
        super().__init__(what)
        self.at = at


@dataclass(slots=True)
class _Parser:
    text: str
    at: int = 0
    terms: int = 0
    mistakes: list[FilterMistake] = field(default_factory=list)

    def parse(self) -> ParsedText:
        nodes: list[Node] = []
        while True:
            found = self._query(0)
            nodes += [found] if found else []
            if self.at == len(self.text):
                break
            self._mistake("closes a parenthesis that was not opened", (self.at, self.at + 1))
            self.at += 1
        tree = every(nodes, (0, len(self.text)))
        return ParsedText(tree if isinstance(tree, AllOf) else AllOf((tree,)), tuple(self.mistakes))

    def _query(self, depth: int) -> Node | None:
        """Up to a parenthesis that closes, or the end."""
        start = self.at
        branches: list[list[Node]] = [[]]
        while not self._ends():
            if word := self._or():
                self._branch(branches, word)
            elif item := self._item(depth):
                branches[-1].append(item)
        span = (start, self.at)
        if len(branches) > 1 and not branches[-1]:
            self._mistake("“or” stands before nothing", span)
        found = [every(each, span) for each in branches if each]
        return either(found, span) if found else None

    def _branch(self, branches: list[list[Node]], word: Span) -> None:
        if branches[-1]:
            branches.append([])
        else:
            self._mistake("“or” stands behind nothing", word)

    def _ends(self) -> bool:
        self.at = _SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]
        return self.at == len(self.text) or self.text[self.at] == ")"

    def _or(self) -> Span | None:
        found = _WORD.match(self.text, self.at)
        if found is None or found[0] not in OR:
            return None
        self.at = found.end()
        return found.span()

    def _item(self, depth: int) -> Node | None:
        start = self.at
        if depth > MAX_DEPTH:
            raise _BeyondLimit(f"is nested more than {MAX_DEPTH} deep", start)
        sign = self.text[start]
        if sign == "-":
            return self._negation(depth)
        if sign == "(":
            return self._group(depth)
        self._count()
        if sign == '"':
            phrase = self._quoted()
            return self._phrase(phrase, (start, self.at)) if phrase is not None else None
        if found := _FIELD.match(self.text, start):
            self.at = found.end()
            return self._term(start, found[1], found[2])
        word = _WORD.match(self.text, start)
        assert word is not None, "no space, quotation mark or parenthesis is here"
        self.at = word.end()
        return Words(word[0], False, word.span())

    def _phrase(self, text: str, span: Span) -> Words | None:
        if text.strip():
            return Words(text, True, span)
        self._mistake("has no words", span)
        return None

    def _negation(self, depth: int) -> Node | None:
        start = self.at
        self.at += 1
        if self.at == len(self.text) or self.text[self.at].isspace() or self.text[self.at] == ")":
            self._mistake("“-” stands before nothing", (start, self.at))
            return None
        node = self._item(depth + 1)
        return Not(node, (start, self.at)) if node else None

    def _group(self, depth: int) -> Node | None:
        start = self.at
        self.at += 1
        node = self._query(depth + 1)
        if self.at == len(self.text):
            self._mistake("opens a parenthesis that is not closed", (start, start + 1))
        else:
            self.at += 1
        return node

    def _count(self) -> None:
        self.terms += 1
        if self.terms > MAX_TERMS:
            raise _BeyondLimit(f"has more than {MAX_TERMS} terms", self.at)

    def _quoted(self) -> str | None:
        start, found = self.at, _QUOTED.match(self.text, self.at)
        if found is None:
            self.at = len(self.text)
            self._mistake("opens a quotation mark that is not closed", (start, self.at))
            return None
        self.at = found.end()
        return _ESCAPED.sub(r"\1", found[1])

    def _term(self, start: int, name: str, sign: str) -> Node | None:
        values: list[QueryValue] = []
        while True:
            value = self._value(name)
            values += [value] if value else []
            if self.text[self.at : self.at + 1] != ",":
                break
            self.at += 1
        operator = Operator(sign.removeprefix(":") or sign)
        span = (start, self.at)
        return QueryTerm(name, operator, tuple(values), span) if values else None

    def _value(self, name: str) -> QueryValue | None:
        start = self.at
        if self.text[start : start + 1] == '"':
            text = self._quoted()
            return None if text is None else QueryValue(text)
        self.at = _VALUE.match(self.text, start).end()  # type: ignore[union-attr]
        text = self.text[start : self.at]
        if not text:
            self._mistake("has no value here", (start, start), name)
            return None
        if ANY not in text:
            return QueryValue(text)
        within = text.removeprefix(ANY).removesuffix(ANY)
        if within and ANY not in within:
            return QueryValue(text, is_pattern=True)
        what = "has a * in the middle of a value: it may stand at the beginning and at the end"
        if not within:
            what = f"has a value of nothing but *; did you mean has:{name}?"
        self._mistake(what, (start, self.at), name)
        return None

    def _mistake(self, what: str, span: Span, name: str = "q") -> None:
        self.mistakes.append(FilterMistake(name, what, self.text[span[0] : span[1]], span))


def is_any(node: Node) -> bool:
    """Tell whether a text of the node must stand in parentheses beside others."""
    return isinstance(node, AnyOf) or (
        isinstance(node, AllOf) and len(node.nodes) == 1 and isinstance(node.nodes[0], AnyOf)
    )
