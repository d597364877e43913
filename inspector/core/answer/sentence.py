"""Sentences about one exchange, as clauses with the place that each is about."""

from inspector.core.analysis import SentenceClause
from inspector.core.findings import Where
from inspector.core.rule_context import RuleContext

Sentence = tuple[SentenceClause, ...]


def sentence(*parts: str | SentenceClause | Sentence) -> Sentence:
    """Turn parts into clauses. Empty texts are dropped; a plain text has no place."""
    clauses: list[SentenceClause] = []
    for part in parts:
        if isinstance(part, tuple):
            clauses.extend(part)
        elif part:
            clauses.append(part if isinstance(part, SentenceClause) else SentenceClause(part))
    return tuple(clauses)


def event_clause(facts: RuleContext, event: int) -> SentenceClause:
    start, end = facts.event_bytes(event)
    return SentenceClause(f"event #{event:,} (bytes {start:,}–{end:,})", Where(event=event))


def at_end(facts: RuleContext, text: str) -> SentenceClause:
    """Return a clause that points to the last byte of the body."""
    last = facts.body_bytes - 1
    return SentenceClause(text, Where(byte_start=last, byte_end=last + 1) if last >= 0 else Where())


def many(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
