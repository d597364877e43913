"""The ten questions of docs/mcp.md, asked of the samples: their calls, and the bytes of the answers."""

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from django.conf import settings

from inspector.transfer.samples import samples
from tests.archive.samples import accept_arrival, inspect_all
from tests.mcp.official_client import Session, with_client
from tests.people import Person

ROW = re.compile(r"\| (?P<question>.+\?) \| (?P<calls>\d+) \| (?P<bytes>[\d,]+) \|")
LISTED = re.compile(r"\(two calls, (?P<bytes>[\d,]+) bytes\)")
TOLERANCE = 0.1
"""Share of the bytes: figures of a receipt or a time may be longer or shorter by a digit."""


async def found(session: Session, **arguments: Any) -> list[Any]:
    rows = (await session.data("search_captures", **arguments))["captures"]
    assert rows, arguments
    return [row["id"] for row in rows]


async def ended_badly(session: Session) -> None:
    await found(session, q="result:error,truncated")


async def why_it_was_cut(session: Session) -> None:
    [cut] = await found(session, q="verdict:cut-off")
    told = await session.data("list_findings", id=cut)
    assert "ending.cut-off" in [each["code"] for each in told["findings"]]


async def what_a_code_means(session: Session) -> None:
    assert (await session.data("explain_finding", code="ending.cut-off"))["impact"]


async def last_events(session: Session) -> None:
    [cut] = await found(session, q="verdict:cut-off")
    total = (await session.data("read_events", id=cut, limit=1))["total"]
    last = await session.data("read_events", id=cut, first=total - 3, limit=3)
    assert len(last["events"]) == 3


async def broken_arguments(session: Session) -> None:
    [broken] = await found(session, q="rule:tool.arguments-truncated")
    at = "/analysis/choices/0/tool_calls"
    assert (await session.data("show_capture", id=broken, at=at))["value"]


async def what_was_asked(session: Session) -> None:
    [newest] = await found(session, limit=1)
    assert "messages" in (await session.data("read_body", id=newest, of="request"))["text"]


async def slowest(session: Session) -> None:
    await found(session, sort="-first_token", limit=1)


async def what_differs(session: Session) -> None:
    first, other = await found(session, limit=2)
    assert (await session.data("compare_captures", a=first, b=other))["answer"]


async def what_it_costs(session: Session) -> None:
    [one] = await found(session, limit=1)
    assert (await session.data("show_capture", id=one, at="/cost"))["value"]["lines"]


async def without_usage(session: Session) -> None:
    assert (await session.data("read_documentation", q="missing field"))["hits"]
    await found(session, q="missing:tokens.in")


QUESTIONS: dict[str, Callable[[Session], Awaitable[None]]] = {
    "Which answers ended badly?": ended_badly,
    "Why was this one cut off?": why_it_was_cut,
    "What does `ending.cut-off` mean?": what_a_code_means,
    "What came right before the end?": last_events,
    "Which tool call was cut, and what are its arguments?": broken_arguments,
    "What was the model asked?": what_was_asked,
    "Which answer began last?": slowest,
    "What differs between the two newest?": what_differs,
    "What did it cost, line by line?": what_it_costs,
    "How do I find calls without usage, and which are they?": without_usage,
}


def measured(person: Person) -> dict[str, tuple[int, int]]:
    async def work(session: Session) -> dict[str, tuple[int, int]]:
        await session.client.list_tools()
        spent = {"": sizes(session)}
        for question, ask in QUESTIONS.items():
            session.wire.answers.clear()
            await ask(session)
            spent[question] = sizes(session)
        return spent

    return with_client(person.key, work)


def sizes(session: Session) -> tuple[int, int]:
    return len(session.wire.answers), sum(len(each.body) for each in session.wire.answers)


def number(text: str) -> int:
    return int(text.replace(",", ""))


def test_each_question_takes_the_calls_and_bytes_that_the_page_says(owner: Person) -> None:
    for sample in samples():
        accept_arrival(owner, sample)
    inspect_all()
    spent = measured(owner)
    for question, (calls, size) in spent.items():
        print(f"| {question} | {calls} | {size:,} |")
    page = Path(settings.DOCS_DIR, "mcp.md").read_text()
    listed = LISTED.search(page)
    told = {row["question"]: (row["calls"], row["bytes"]) for row in ROW.finditer(page)}
    assert listed is not None
    assert [*told] == [*QUESTIONS]
    for question, (calls, size) in {**told, "": ("2", listed["bytes"])}.items():
        assert int(calls) == spent[question][0], question
        assert abs(number(size) - spent[question][1]) <= TOLERANCE * spent[question][1], question
