"""The statements of the reference documents, each on the test that holds us to it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from inspector.core.analysis import Analysis
from inspector.core.wire.exchange import Request
from tests.core.bodies import analysis

Test = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a document: its number, a name, a quote of it, what Response Inspector does
    about it, and the rules that hold an answer against it.
    """

    document: str
    name: str
    quote: str
    answer: str
    rules: tuple[str, ...]


def states(
    document: str, name: str, quote: str, answer: str, *rules: str
) -> Callable[[Test], Test]:
    """Say which statement a test is about; the page of the documents is made of these."""

    def mark(test: Test) -> Test:
        test.statement = Statement(document, name, quote, answer, rules)  # type: ignore[attr-defined]
        return test

    return mark


def also(document: str, name: str) -> Callable[[Test], Test]:
    """Say that a further test is about a statement that another one quotes."""

    def mark(test: Test) -> Test:
        test.also_about = document, name  # type: ignore[attr-defined]
        return test

    return mark


def messages(body: bytes, code: str, **known: Any) -> list[str]:
    """The messages of one rule about a body."""
    return [each.message for each in analysis(body, **known).findings if each.code == code]


def places(result: Analysis, code: str) -> list[str | None]:
    return [each.where.pointer for each in result.findings if each.code == code]


def wanted(parameters: bytes) -> dict[str, Any]:
    """That the request is known, and sets these parameters."""
    return {"request": Request(body=b"{%s}" % parameters)}
