"""A query as it came, in the query language or as parameters of an address, and edits of its text.

``vendor=openai&vendor=azure&q=late`` and ``q=vendor:openai,azure late`` are the same query.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from inspector.query.fields import Registry
from inspector.query.language import MAX_CHARACTERS, FilterMistake, is_any, parse
from inspector.query.resolve import MAX_VALUES, abbreviated, resolve, with_field_names
from inspector.query.tree import AllOf, Node, Operator, QueryTerm, QueryValue, Span

QUERY = "q"


@dataclass(frozen=True, slots=True)
class FilterTerm:
    """One name and value, such as ``since=7d``."""

    name: str
    value: str

    def __str__(self) -> str:
        return str(QueryTerm(self.name, Operator.IS, (QueryValue(self.value),)))


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """``tree`` is of the text as written, ``resolved`` of what was understood of it."""

    text: str = ""
    tree: AllOf = AllOf()
    resolved: AllOf = AllOf()
    mistakes: tuple[FilterMistake, ...] = ()
    own_start: int = 0
    """Where in the text the query in the language begins, behind the parameters."""

    @property
    def terms(self) -> tuple[FilterTerm, ...]:
        """Values that matches must have, one each."""
        resolved = {each.span for each in self.resolved.nodes}
        given = (
            FilterTerm(term.name, value.text)
            for term in self._terms()
            if term.span in resolved
            for value in term.values
            if not value.is_pattern
        )
        return tuple(dict.fromkeys(given))

    @property
    def parts(self) -> tuple[Node, ...]:
        """The parts that must all match, as written; mistaken ones are left out."""
        resolved = {each.span for each in self.resolved.nodes}
        return tuple(each for each in self.tree.nodes if each.span in resolved)

    def without(self, *parts: Node) -> str:
        """Return the text without these parts of it."""
        return self._spliced({each.span: "" for each in parts})

    def without_field(self, *names: str) -> str:
        return self.without(*(each for each in self._terms() if each.name in names))

    def toggled(self, term: FilterTerm, needs_all: bool = False) -> str:
        """Return the text with this value of a field, or without it where it has it; where any
        value of the field is enough, it joins the others.
        """
        same = [each for each in self._terms() if each.name == term.name]
        for each in same:
            others = tuple(value for value in each.values if value.text != term.value)
            if len(others) < len(each.values):
                return self._spliced({each.span: _text_of(term.name, others)})
        if same and not needs_all:
            values = (*same[0].values, QueryValue(term.value))
            return self._spliced({same[0].span: _text_of(term.name, values)})
        return joined(self._closed(self.text), str(term))

    def with_value(self, term: FilterTerm, value: str) -> str:
        """Return the text with another value in place of this one."""
        for each in self._terms():
            if each.name == term.name and any(one.text == term.value for one in each.values):
                values = [QueryValue(value) if v.text == term.value else v for v in each.values]
                return self._spliced({each.span: _text_of(term.name, tuple(values))})
        return self.text

    def corrected(self, mistake: FilterMistake) -> str:
        """Return the text with what is nearest to a mistake in its place."""
        start, end = mistake.span or (0, 0)
        return self.text[:start] + mistake.near + self.text[end:]

    def _terms(self) -> Iterator[QueryTerm]:
        for each in self.tree.nodes:
            if isinstance(each, QueryTerm) and each.operator is Operator.IS:
                yield each

    def _closed(self, text: str) -> str:
        return f"({text})" if is_any(self.tree) else text

    def _spliced(self, texts: Mapping[Span, str]) -> str:
        text = self.text
        for (start, end), other in sorted(texts.items(), reverse=True):
            before, after = text[:start], text[end:]
            text = before + other + after if other else joined(before.rstrip(), after.lstrip())
        return text


def joined(*texts: str) -> str:
    return " ".join(text for text in texts if text)


def query_string(terms: Iterable[FilterTerm]) -> str:
    """Return the address's query that is parsed to these terms."""
    return urlencode([(term.name, term.value) for term in terms])


def text_query(text: str) -> str:
    """Return the address's query of a text in the language."""
    return urlencode({QUERY: text}, safe=":,") if text else ""


def parse_query(
    values: Mapping[str, Sequence[str]], registry: Registry, now: datetime
) -> ParsedQuery:
    """Parse an address's parameters and query; ages such as ``7d`` count back from ``now``."""
    wrong = dict(_wrong_parameters(values, registry))
    valid = {name: found for name, found in values.items() if name not in wrong and found}
    own = valid.pop(QUERY, ("",))[0]
    given = joined(*(_parameter_text(name, found, registry) for name, found in valid.items()))
    alone = parse(own)
    if given and is_any(alone.tree) and not alone.mistakes:
        own = f"({own})"
    text = joined(given, own.strip() and own)
    parsed = parse(text)
    tree = with_field_names(parsed.tree, registry)
    resolved = resolve(tree, registry, now)
    mistakes = (
        *(FilterMistake(name, what, next(iter(values[name]), "")) for name, what in wrong.items()),
        *parsed.mistakes,
        *resolved.mistakes,
    )
    return ParsedQuery(text, tree, resolved.tree, mistakes, len(given) + bool(given))


def parameter_of(mistake: FilterMistake, parsed: ParsedQuery) -> tuple[str, str]:
    """Return the parameter that a mistake is in, and what to say of it."""
    if mistake.span is None or mistake.span[0] < parsed.own_start or mistake.name == QUERY:
        return mistake.name, mistake.sentence
    start, end = (place - parsed.own_start for place in mistake.span)
    return QUERY, f"at {start} to {end}: {abbreviated(mistake.name)} {mistake.sentence}"


def _wrong_parameters(
    values: Mapping[str, Sequence[str]], registry: Registry
) -> Iterator[tuple[str, str]]:
    names = registry.parameter_names()
    for name, found in values.items():
        if name not in names:
            yield name, "is no filter"
        elif name in registry.single() and len(found) > 1:
            yield name, "stands more than once"
        elif name == QUERY and found and not found[0].strip():
            yield name, f"has 1 to {MAX_CHARACTERS:,} characters"
        elif len(found) > MAX_VALUES:
            yield name, f"stands more than {MAX_VALUES} times"
        elif any("\0" in value for value in found):
            # PostgreSQL can neither store nor compare it.
            yield name, "holds a NUL, which no text here does"


def _parameter_text(name: str, values: Sequence[str], registry: Registry) -> str:
    found = registry.find(name)
    values = tuple(dict.fromkeys(values))
    if found is not None and found.needs_all:
        return joined(*(str(FilterTerm(name, value)) for value in values))
    return _text_of(name, tuple(map(QueryValue, values)))


def _text_of(name: str, values: tuple[QueryValue, ...]) -> str:
    return str(QueryTerm(name, Operator.IS, values)) if values else ""
