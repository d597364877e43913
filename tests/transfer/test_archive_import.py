"""An export is imported line by line; what it says is what the archive then holds."""

import json
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import OperationalError

from inspector.archive import deletion
from inspector.archive.intake import imports
from inspector.archive.intake.imports import Imported
from inspector.archive.models import Capture, State
from inspector.archive.queries import Captures
from inspector.core.credentials.removal import VERSION
from inspector.transfer.archive_import import ImportedLine, RefusedLine
from tests.archive.loaded import loaded
from tests.archive.samples import accept, inspect_all
from tests.people import Person
from tests.transfer.exports.carried import EMPTY, RECORDED, everything, exported, imported

ARCHIVED = {
    "form": 1,
    "id": "0197a000-0000-7000-8000-000000000001",
    "received_at": "2026-05-01T12:00:00Z",
    "sha256": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
}


def line(**archived: Any) -> bytes:
    envelope = {"response": {"body": "{}"}, "archived": {**ARCHIVED, **archived}}
    return json.dumps(envelope).encode() + b"\n"


def results(lines: list[ImportedLine]) -> list[str]:
    return [
        each.result.reason
        if isinstance(each.result, RefusedLine)
        else "deleted"
        if each.result.is_deleted
        else "known"
        if each.result.is_known
        else "new"
        for each in lines
    ]


def stored(lines: list[ImportedLine]) -> list[UUID]:
    return [each.result.id for each in lines if isinstance(each.result, Imported)]


@pytest.mark.both_stacks
def test_an_export_of_what_was_imported_is_the_same_export(owner: Person, stranger: Person) -> None:
    ids = everything(owner)
    there = exported(owner.team)
    assert results(imported(stranger.team, there)) == ["new"] * 6
    assert exported(stranger.team) == there
    assert [json.loads(each)["archived"]["id"] for each in there.splitlines()] == [
        str(each) for each in ids
    ]


def test_a_call_whose_start_nobody_told_is_where_it_was_received_first(stranger: Person) -> None:
    (capture_id,) = stored(imported(stranger.team, line()))
    capture = Capture.objects.get(pk=capture_id)
    assert capture.called_at == datetime(2026, 5, 1, 12, tzinfo=UTC) < capture.received_at
    assert capture.started_at is None


def test_exchange_is_what_it_was_but_for_what_was_removed(owner: Person, stranger: Person) -> None:
    ids = everything(owner)
    copies = stored(imported(stranger.team, exported(owner.team)))
    here, there = (Captures((each.team.pk,)) for each in (owner, stranger))
    for mine, theirs in zip(ids, copies, strict=True):
        assert there.evidence(theirs) == here.evidence(mine)
    assert there.evidence(copies[3]) == EMPTY
    recorded = there.evidence(copies[0])
    assert recorded is not None and recorded.reads == RECORDED.reads
    assert recorded.fault is RECORDED.fault
    opened = there.opened(copies[0])
    # Not "none were found": what was removed before the export stays told.
    assert opened is not None and opened.removal is not None
    assert opened.removal.request_headers == 1
    assert (opened.note, opened.row.tags) == ("a note, with a comma", ("eval", "été"))


def test_an_import_is_inspected_like_any_arrival_and_reads_the_same(
    owner: Person, stranger: Person
) -> None:
    ids = everything(owner)
    copies = stored(imported(stranger.team, exported(owner.team)))
    inspect_all()
    for mine, theirs in zip(ids, copies, strict=True):
        assert loaded(theirs).analysis == loaded(mine).analysis
    assert Capture.objects.get(pk=copies[0]).state == State.INSPECTED


@pytest.mark.both_stacks
def test_a_second_import_adds_nothing(owner: Person, stranger: Person) -> None:
    everything(owner)
    first = imported(stranger.team, exported(owner.team))
    again = imported(stranger.team, exported(owner.team) + exported(owner.team))
    assert results(again) == ["known"] * 12
    assert stored(again) == stored(first) * 2


def test_an_import_into_the_team_that_it_comes_from_adds_nothing(owner: Person) -> None:
    ids = everything(owner)
    again = imported(owner.team, exported(owner.team))
    assert (results(again), stored(again)) == (["known"] * 6, ids)


def test_an_import_that_comes_back_to_where_it_came_from_adds_nothing(
    owner: Person, stranger: Person
) -> None:
    everything(owner)
    imported(stranger.team, exported(owner.team))
    assert results(imported(owner.team, exported(stranger.team))) == ["known"] * 6


def test_a_capture_that_was_changed_since_stays_as_it_is(owner: Person, stranger: Person) -> None:
    capture_id = accept(owner)
    [copy] = stored(imported(stranger.team, exported(owner.team)))
    Capture.objects.filter(pk=capture_id).update(note="later")
    assert results(imported(stranger.team, exported(owner.team))) == ["known"]
    assert Capture.objects.get(pk=copy).note == ""


def test_what_was_deleted_here_stays_deleted(owner: Person, stranger: Person) -> None:
    accept(owner)
    [copy] = stored(imported(stranger.team, exported(owner.team)))
    assert deletion.delete(stranger.service, copy)
    assert results(imported(stranger.team, exported(owner.team))) == ["deleted"]
    assert Capture.objects.get(pk=copy).state == State.GONE


def test_a_relation_to_what_did_not_come_along_leads_nowhere(stranger: Person) -> None:
    [copy] = stored(imported(stranger.team, line(retry_of=str(uuid4()))))
    assert Capture.objects.get(pk=copy).retry_of is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"\n", "the line is empty"),
        (b'{"response":{"body":"{}"}}\n', "no export wrote this: it has no member archived"),
        (b'{"response":\n', "the envelope: "),
        (line()[:-1], "the line has no newline at its end: it may be cut"),
        (line(form=2), "written by a later release: form 2, known here is 1"),
        (line(form=2, more="x"), "written by a later release: form 2, known here is 1"),
        (line(more="x"), "Object contains unknown field `more`"),
        (line(sha256="0" * 64), "the body is not what was exported"),
        (line(sha256="x"), "Expected `str` matching regex"),
        (line(id="7"), "Invalid UUID"),
        (line(reads=[[None, 1]]), "$.archived.reads are not the lengths of the body"),
        (line(reads=[[None, -2], [None, 4]]), "Expected `int` >= 0"),
        (line(received_at="2026-05-01T12:00:00"), "Expected `datetime` with a timezone component"),
        (line(dialect="no-such"), "$.archived.dialect is a format that is not known here"),
    ],
)
def test_a_line_that_cannot_be_taken_is_reported_and_leaves_nothing(
    stranger: Person, text: bytes, reason: str
) -> None:
    good = line(id=str(uuid4()))
    lines = imported(stranger.team, good + text)
    assert [each.number for each in lines] == [1, 2]
    first, second = results(lines)
    assert first == "new" and second.startswith(reason)
    assert Capture.objects.count() == 1


def test_a_file_that_is_cut_anywhere_gives_its_whole_lines(owner: Person, stranger: Person) -> None:
    everything(owner)
    text = exported(owner.team)
    for end in range(0, len(text), 97):
        whole = text[:end].count(b"\n")
        found = imported(stranger.team, text[:end])
        assert [isinstance(each.result, Imported) for each in found][:whole] == [True] * whole
    assert Capture.objects.filter(team=stranger.team).count() <= 6


def test_a_line_that_no_database_takes_does_not_stop_the_others(
    stranger: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept_batch = imports.submission.accept_batch

    def refuse(principal: Any, arrivals: Any) -> Any:
        if any(each.note == "bad" for each in arrivals):
            raise ValueError("no")
        return accept_batch(principal, arrivals)

    monkeypatch.setattr(imports.submission, "accept_batch", refuse)
    lines = [line(id=str(uuid4()), note=note) for note in ("a", "bad", "b")]
    found = imported(stranger.team, b"".join(lines))
    assert results(found) == ["new", "it could not be stored (ValueError)", "new"]


def test_a_database_that_is_gone_ends_the_import(
    stranger: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(principal: Any, arrivals: Any) -> Any:
        raise OperationalError("gone")

    monkeypatch.setattr(imports.submission, "accept_batch", gone)
    with pytest.raises(OperationalError):
        imported(stranger.team, line())


def test_credentials_in_a_made_up_export_are_removed_all_the_same(stranger: Person) -> None:
    body = b'{"model":"m","api_key":"sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"}'
    envelope = {
        "response": {"body": "{}"},
        "request": {"headers": {"authorization": "Bearer abcdefgh12345678"}, "body": body.decode()},
        "archived": {**ARCHIVED, "removal": {"version": 99, "request_headers": 4}},
    }
    [copy] = stored(imported(stranger.team, json.dumps(envelope).encode() + b"\n"))
    exchange = Captures((stranger.team.pk,)).evidence(copy)
    assert exchange is not None and exchange.request is not None
    assert exchange.request.headers == (("authorization", "[removed]"),)
    assert b"sk-proj" not in (exchange.request.body or b"")
    opened = Captures((stranger.team.pk,)).opened(copy)
    assert opened is not None and opened.removal is not None
    assert (opened.removal.version, opened.removal.request_headers) == (VERSION, 5)


def test_the_batch_of_the_api_takes_an_export_too(owner: Person, stranger: Person) -> None:
    everything(owner)
    text = exported(owner.team)
    batch = "/api/v1/captures/batch/"
    for status in (202, 200):
        answer = stranger.post(batch, text, "application/x-ndjson")
        found = [json.loads(each)["status"] for each in answer.body.splitlines()]
        assert found == [status] * 6
    assert exported(stranger.team) == text
    broken = text.replace(b'"sha256":"', b'"sha256":"0', 1)
    answer = stranger.post(batch, broken.splitlines(True)[0], "application/x-ndjson")
    assert json.loads(answer.body)["status"] == 422
