"""Each tool as the protocol's own client calls it: for its owner, a teammate and a stranger."""

import json
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from inspector.archive.models import Capture
from inspector.mcp.tools import all_tools
from inspector.teams.access import READ
from inspector.teams.keys import create_api_key
from tests.archive.samples import CUT, SSE, STREAM, WHOLE, accept, inspected
from tests.dashboard.compare.test_views import calling, saying, usage
from tests.mcp.official_client import HANDSHAKE, STATELESS, Session, text_of, with_client
from tests.people import Person

OF_A_CAPTURE: dict[str, Callable[[UUID], dict[str, Any]]] = {
    "show_capture": lambda one: {"id": str(one)},
    "list_findings": lambda one: {"id": str(one)},
    "read_events": lambda one: {"id": str(one)},
    "read_body": lambda one: {"id": str(one)},
    "compare_captures": lambda one: {"a": str(one), "b": f"{one}@previous"},
    "annotate_capture": lambda one: {"id": str(one), "note": "seen"},
}
NAMES = [
    "annotate_capture",
    "compare_captures",
    "explain_finding",
    "list_findings",
    "read_body",
    "read_documentation",
    "read_events",
    "search_captures",
    "show_capture",
    "sum_usage",
]


def asked(person: Person, name: str, **arguments: Any) -> Any:
    async def work(session: Session) -> Any:
        return await session.data(name, **arguments)

    return with_client(person.key, work)


def refused(key: str, name: str, **arguments: Any) -> str:
    """The words that refuse a call."""

    async def work(session: Session) -> str:
        result = await session.call(name, **arguments)
        assert result.is_error
        return text_of(result)

    return with_client(key, work)


@pytest.mark.parametrize("mode", [HANDSHAKE, STATELESS, "auto"])
def test_the_official_client_finds_every_tool_however_it_speaks(owner: Person, mode: str) -> None:
    async def work(session: Session) -> list[str]:
        assert session.client.instructions or mode == STATELESS
        found = (await session.client.list_tools()).tools
        assert all(tool.input_schema["additionalProperties"] is False for tool in found)
        writing = [tool.name for tool in found if not tool.annotations.read_only_hint]
        assert writing == ["annotate_capture"]
        return [tool.name for tool in found]

    assert with_client(owner.key, work, mode) == NAMES == [tool.name for tool in all_tools()]


def test_captures_are_found_by_the_query_language_and_page_by_page(owner: Person) -> None:
    first, cut = inspected(owner), inspected(owner, CUT)
    assert [row["id"] for row in asked(owner, "search_captures")["captures"]] == [
        str(cut),
        str(first),
    ]
    [row] = asked(owner, "search_captures", q="model:gpt-4o")["captures"]
    assert (row["id"], row["verdict"], row["answer_line"]) == (str(first), "complete", "Hello")
    page = asked(owner, "search_captures", limit=1)
    rest = asked(owner, "search_captures", limit=1, cursor=page["next_cursor"])
    assert [row["id"] for row in rest["captures"]] == [str(first)]
    assert asked(owner, "search_captures", q="model:nothing") == {"captures": []}


def test_what_cannot_be_asked_for_is_told_with_what_can(
    owner: Person, subtests: pytest.Subtests
) -> None:
    capture_id = str(inspected(owner))
    for name, arguments, told in [
        ("search_captures", {"limit": 10_000_000}, "<= 50"),
        ("search_captures", {"limit": "all"}, "int"),
        ("search_captures", {"q": "modle:gpt-4o"}, "did you mean"),
        ("search_captures", {"q": "x" * 2_001}, "2000"),
        ("search_captures", {"cursor": "nowhere"}, "no cursor"),
        ("search_captures", {"sort": "size; DROP TABLE"}, "sort is one of"),
        ("search_captures", {"rows": 5}, "unknown field `rows`"),
        ("read_events", {"id": capture_id, "limit": 10_000_000}, "<= 100"),
        ("read_body", {"id": capture_id, "length": 10_000_000}, "<= 8000"),
        ("read_body", {"id": capture_id, "of": "request"}, "not known"),
        ("show_capture", {}, "required field `id`"),
        ("show_capture", {"id": "first"}, "no such thing"),
        ("show_capture", {"id": capture_id, "at": "/nothing"}, "nothing stands"),
        ("compare_captures", {"a": capture_id, "b": capture_id}, "two different"),
        ("compare_captures", {"a": capture_id, "b": f"{capture_id}.7"}, "has no choice 7"),
        ("sum_usage", {"by": "weather"}, "by is one of"),
        ("sum_usage", {"by": "model", "within": "key"}, "of goes with within"),
        ("sum_usage", {"range": "9y"}, "range is one of"),
        ("explain_finding", {"code": "usage.misssing"}, "did you mean usage.missing?"),
        ("read_documentation", {"page": "../settings"}, "no such page"),
        ("annotate_capture", {"id": capture_id}, "nothing is to be changed"),
        ("annotate_capture", {"id": capture_id, "add_tag": " "}, "add_tag"),
        ("annotate_capture", {"id": capture_id, "note": "x" * 4_001}, "4000"),
    ]:
        with subtests.test(name=name, arguments=str(arguments)[:80]):
            assert told in refused(owner.key, name, **arguments)


def test_the_facts_of_a_capture_leave_long_parts_to_a_second_question(owner: Person) -> None:
    long = WHOLE.replace(b"Hello", b"word " * 4_000)
    capture_id = str(inspected(owner, long))
    facts = asked(owner, "show_capture", id=capture_id)
    assert (facts["verdict"], facts["model"], facts["prompt_tokens"]) == ("complete", "gpt-4o", 3)
    assert facts["analysis"]["choices"][0]["content"].endswith("(20,000 characters)")
    assert "/analysis/timeline" in facts["left_out"]
    at = "/analysis/choices/0/content"
    part = asked(owner, "show_capture", id=capture_id, at=at, start=19_995)
    assert part == {"value": "word ", "start": 19_995, "length": 20_000}
    assert asked(owner, "show_capture", id=capture_id, at="/ledger/total/count") == {"value": 5}


def test_a_finding_has_its_place_and_the_words_there(owner: Person) -> None:
    found = asked(owner, "list_findings", id=str(inspected(owner, CUT)))
    assert found["total"] == 2
    assert found["findings"][0]["code"] == "json.invalid"
    assert found["findings"][0]["where"] == {"byte_start": 146, "byte_end": 147}
    assert found["findings"][0]["words"].endswith('"content":"Hel')
    second = asked(owner, "list_findings", id=str(inspected(owner, CUT)), start=1)
    assert [each["code"] for each in second["findings"]] == ["ending.cut-off"]
    told = asked(owner, "explain_finding", code="json.invalid")
    assert (told["severity"], told["find"]) == ("error", "rule:json.invalid")
    assert told["page"].endswith("/docs/rules/json.invalid/")


def test_a_window_of_events_is_what_came(owner: Person) -> None:
    capture_id = str(inspected(owner, STREAM, SSE))
    window = asked(owner, "read_events", id=capture_id, first=1, limit=1)
    assert window["total"] == 3
    [event] = window["events"]
    assert (event["event"], event["kind"], event["bytes"]) == (1, "chunk", [179, 340])
    assert event["raw"].encode() == STREAM[179:340]
    assert asked(owner, "read_events", id=capture_id, first=3)["events"] == []
    body = asked(owner, "read_body", id=capture_id, start=340)
    assert body == {"text": "data: [DONE]\n\n", "start": 340, "bytes": 354}


def test_two_captures_are_compared_as_their_page_does(owner: Person) -> None:
    first, other = inspected(owner), inspected(owner, WHOLE.replace(b"Hello", b"Good bye"))
    told = asked(owner, "compare_captures", a=str(first), b=str(other))
    assert told["answer"] == "Different answer."
    assert told["differing"]["Answer"]["texts"][0]["diff"] == "[-Hello-]{+Good bye+}"
    fields = told["differing"]["Other fields"]
    assert fields["Summary"]["values"]["size"] == ["291 B", "294 B"]
    assert "Findings: No finding on either side." in told["same"]
    page = owner.browser().get(told["page"].removeprefix("http://127.0.0.1:8000"))
    assert "Different answer." in page.content.decode()


def test_usage_and_arguments_of_two_captures_are_told_where_they_differ(owner: Person) -> None:
    first = calling(owner, ("find", '{"city": "Bonn", "days": 1}'), ("look", "{"))
    other = calling(owner, ("find", '{"city": "Rome", "days": 1}'), ("look", "{}"))
    told = asked(owner, "compare_captures", a=str(first), b=str(other))["differing"]["Tool calls"]
    assert [each.get("values") or each["diff"] for each in told["calls"]] == [
        {"/city": '"[-Bonn-]{+Rome+}"'}, "{{+}+}"
    ]  # fmt: skip
    less, more = (saying(owner, usage=usage(9, 12, count)) for count in (21, 22))
    told = asked(owner, "compare_captures", a=str(less), b=str(more))["differing"]
    assert told["Usage and time"]["Usage"]["values"] == {"total_tokens": ["21", "22"]}


def test_sums_say_how_many_captures_are_in_them(owner: Person) -> None:
    inspected(owner)
    inspected(owner, CUT)
    sums = asked(owner, "sum_usage", range="24h")
    assert (sums["all"]["captures"], sums["all"]["verdicts"]) == (2, {"complete": 1, "cut-off": 1})
    group = next(each for each in sums["groups"] if each["value"] == "gpt-4o")
    assert group["tokens"]["prompt_tokens"] == {"sum": 3, "captures": 1}


def test_the_documentation_is_found_by_words_and_read_by_section(owner: Person) -> None:
    assert asked(owner, "read_documentation")["Find and compare"]["query"] == "Queries"
    hits = asked(owner, "read_documentation", q="missing first_token")["hits"]
    assert {"page", "section", "title", "text"} == set(hits[0])
    sections = asked(owner, "read_documentation", page="query")["sections"]
    assert sections[1]["section"] == "captures"
    text = asked(owner, "read_documentation", page="query", section="captures")["text"]
    assert "what became of the transport" in text


def test_tags_and_the_note_are_written_by_a_key_that_may(owner: Person, teammate: Person) -> None:
    capture_id = inspected(owner)
    asked(owner, "annotate_capture", id=str(capture_id), add_tag="a", note="look")
    told = asked(teammate, "annotate_capture", id=str(capture_id), add_tag="b", remove_tag="a")
    assert told == {"id": str(capture_id), "tags": ["b"], "note": "look"}
    capture = Capture.objects.get(pk=capture_id)
    assert (capture.tags, capture.note) == (["b"], "look")


def test_a_key_that_only_reads_is_offered_nothing_that_writes(owner: Person) -> None:
    capture_id = inspected(owner)
    reader = create_api_key(owner.team, "reader", [READ])

    async def work(session: Session) -> list[str]:
        return [tool.name for tool in (await session.client.list_tools()).tools]

    assert with_client(reader, work) == [name for name in NAMES if name != "annotate_capture"]
    told = refused(reader, "annotate_capture", id=str(capture_id), note="mine")
    assert told == "this key lacks the scope 'ingest'"
    assert Capture.objects.get(pk=capture_id).note == ""


def test_a_capture_of_another_team_is_as_missing_as_one_that_never_was(
    owner: Person, stranger: Person, subtests: pytest.Subtests
) -> None:
    theirs, never = inspected(owner), UUID("00000000-0000-7000-8000-00000000dead")
    inspected(stranger)
    assert len(asked(stranger, "search_captures")["captures"]) == 1
    assert asked(stranger, "search_captures", q=str(theirs)) == {"captures": []}
    assert asked(stranger, "sum_usage")["all"]["captures"] == 1
    for name, arguments in OF_A_CAPTURE.items():
        with subtests.test(name=name):
            told = refused(stranger.key, name, **arguments(theirs))
            assert told == refused(stranger.key, name, **arguments(never))
            assert told == "there is no such thing here"
    assert Capture.objects.get(pk=theirs).note == ""


def test_what_is_not_inspected_yet_says_so(owner: Person, subtests: pytest.Subtests) -> None:
    capture_id = str(accept(owner))
    assert asked(owner, "show_capture", id=capture_id)["state"] == "received"
    for name in ("list_findings", "read_events"):
        with subtests.test(name=name):
            assert "is received, not inspected" in refused(owner.key, name, id=capture_id)
    other = str(inspected(owner, CUT))
    told = refused(owner.key, "compare_captures", a=str(accept(owner, STREAM, SSE)), b=other)
    assert told == "not both of these are analysed yet"


def test_an_unknown_tool_is_an_error_of_the_protocol(owner: Person) -> None:
    call = {"name": "delete_everything", "arguments": {}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    answer = owner.post("/mcp", json.dumps(message).encode()).json
    assert answer["error"] == {"code": -32602, "message": "Unknown tool: delete_everything"}
