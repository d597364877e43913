"""Exports over HTTP: asked for, followed, fetched whole and in ranges, deleted."""

import json

import pytest

from inspector.teams.access import EXPORT, INGEST, READ
from inspector.teams.keys import create_api_key
from inspector.teams.models import AuditEntry
from inspector.transfer.exports import pieces
from tests.archive.samples import CUT, accept, inspect_all
from tests.people import Answer, Person, ask, bearer
from tests.transfer.exports.carried import carry_out, everything, exported

EXPORTS = "/api/v1/exports/"


def create(person: Person, query: str = "", body: bytes = b"{}") -> Answer:
    return person.post(EXPORTS + query, body)


def finished(person: Person, query: str = "", form: str = "jsonl") -> str:
    """The address of a finished export."""
    answer = create(person, query, json.dumps({"format": form}).encode())
    assert answer.status == 202
    carry_out()
    return f"{EXPORTS}{answer.json['id']}/"


def test_an_export_is_asked_for_followed_and_fetched(owner: Person) -> None:
    everything(owner)
    answer = create(owner)
    assert (answer.status, answer.json["state"], answer.json["total"]) == (202, "open", 6)
    address = f"{EXPORTS}{answer.json['id']}/"
    assert owner.get(f"{address}file/").status == 404
    carry_out()
    status = owner.get(address).json
    assert (status["state"], status["captures"], status["done"]) == ("finished", 6, 6)
    file = owner.get(f"{address}file/")
    assert (file.status, file.body) == (200, exported(owner.team))
    assert len(file.body) == status["byte_length"] == int(file.headers["Content-Length"])
    assert file.headers["Content-Type"] == "application/x-ndjson"
    assert file.headers["Content-Disposition"].endswith(f'-{status["id"]}.jsonl"')
    assert file.headers["Cache-Control"] == "private, no-cache"
    assert file.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert owner.get(EXPORTS).json["exports"] == [status]


def test_the_filters_of_the_list_choose(owner: Person) -> None:
    accept(owner)
    cut = accept(owner, CUT)
    inspect_all()
    file = owner.get(f"{finished(owner, '?verdict=cut-off')}file/").body
    assert json.loads(file)["archived"]["id"] == str(cut)
    assert create(owner, "?verdict=no-such").status == 422
    assert create(owner, "?limit=1").status == 422


@pytest.mark.parametrize(
    ("asked", "status", "start", "end"),
    [
        ("bytes=0-9", 206, 0, 10),
        ("bytes=10-", 206, 10, None),
        ("bytes=95-205", 206, 95, 206),
        ("bytes=-7", 206, -7, None),
        ("bytes=0-999999999", 206, 0, None),
        ("bytes=-999999999", 206, 0, None),
        ("bytes=9-0", 200, 0, None),
        ("bytes=0-1,5-6", 200, 0, None),
        ("lines=0-1", 200, 0, None),
        ("bytes=-", 200, 0, None),
        ("bytes=١-", 200, 0, None),
    ],
)
def test_a_range_is_what_it_says(
    owner: Person,
    monkeypatch: pytest.MonkeyPatch,
    asked: str,
    status: int,
    start: int,
    end: int | None,
) -> None:
    monkeypatch.setattr(pieces, "PIECE_BYTES", 100)
    accept(owner)
    address = f"{finished(owner)}file/"
    whole = owner.get(address).body
    got = owner.get(address, {"Range": asked})
    assert (got.status, got.body) == (status, whole[start:end])
    assert int(got.headers["Content-Length"]) == len(got.body)
    if status == 206:
        first = start % len(whole)
        told = f"bytes {first}-{first + len(got.body) - 1}/{len(whole)}"
        assert got.headers["Content-Range"] == told
    else:
        assert "Content-Range" not in got.headers and got.headers["Accept-Ranges"] == "bytes"


@pytest.mark.parametrize("asked", ["bytes=999999999-", "bytes=-0"])
def test_a_range_beyond_the_end_is_refused_with_the_length(owner: Person, asked: str) -> None:
    accept(owner)
    address = f"{finished(owner)}file/"
    length = len(owner.get(address).body)
    got = owner.get(address, {"Range": asked})
    assert (got.status, got.code) == (416, "range_not_satisfiable")
    assert got.headers["Content-Range"] == f"bytes */{length}"


def test_a_zip_of_three_parts_is_one_file_to_every_range(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "PIECE_BYTES", 60)
    everything(owner)
    address = f"{finished(owner, form='zip')}file/"
    whole = owner.get(address).body
    for start in range(0, len(whole), 211):
        got = owner.get(address, {"Range": f"bytes={start}-{start + 300}"})
        assert got.body == whole[start : start + 301]


def test_a_download_goes_on_only_with_the_file_that_it_began_with(owner: Person) -> None:
    accept(owner)
    address = f"{finished(owner)}file/"
    whole = owner.get(address)
    etag = whole.headers["ETag"]
    for given, status in ((etag, 206), ('"another"', 200), (f"W/{etag}", 200)):
        got = owner.get(address, {"Range": "bytes=5-", "If-Range": given})
        assert (got.status, got.body) == (status, whole.body[5:] if status == 206 else whole.body)
    assert owner.get(address, {"If-None-Match": etag}).status == 304
    assert owner.get(address, {"If-Match": '"another"'}).status == 412


def test_the_head_of_a_file_tells_its_length(owner: Person) -> None:
    accept(owner)
    address = f"{finished(owner)}file/"
    head = owner.ask("HEAD", address)
    assert (head.status, head.body) == (200, b"")
    assert int(head.headers["Content-Length"]) == len(owner.get(address).body)


def test_an_export_that_is_deleted_is_fetched_no_more(owner: Person) -> None:
    accept(owner)
    address = finished(owner)
    gone = owner.ask("DELETE", address)
    assert (gone.status, gone.json["state"], gone.json["error"]) == (
        *(200, "withdrawn"),
        "export_deleted",
    )
    assert owner.get(f"{address}file/").status == 404
    assert owner.ask("DELETE", address).json == owner.get(address).json


def test_a_deletion_tells_how_many_exports_it_withdrew(owner: Person) -> None:
    capture_id = accept(owner)
    address = finished(owner)
    assert owner.ask("DELETE", f"/api/v1/captures/{capture_id}/").json["exports"] == 1
    status = owner.get(address).json
    assert (status["state"], status["error"]) == ("withdrawn", "capture_deleted")


def test_a_stranger_sees_none_of_it(owner: Person, teammate: Person, stranger: Person) -> None:
    accept(owner)
    address = finished(owner)
    assert teammate.get(address).status == teammate.get(f"{address}file/").status == 200
    for method, path in (("GET", address), ("DELETE", address), ("GET", f"{address}file/")):
        assert stranger.ask(method, path).status == 404
    assert stranger.get(EXPORTS).json["exports"] == []
    theirs = finished(stranger)
    assert stranger.get(f"{theirs}file/").body == b""


def test_a_key_needs_the_scope_and_no_other(owner: Person) -> None:
    accept(owner)
    reader = create_api_key(owner.team, "reader", [READ, INGEST])
    exporter = create_api_key(owner.team, "exporter", [EXPORT])
    assert ask("POST", EXPORTS, b"{}", headers=bearer(reader)).code == "missing_scope"
    made = ask("POST", EXPORTS, b"{}", headers=bearer(exporter))
    assert (made.status, made.json["total"]) == (202, 1)
    carry_out()
    file = ask("GET", f"{EXPORTS}{made.json['id']}/file/", headers=bearer(exporter))
    assert file.body == exported(owner.team)


def test_who_exports_and_fetches_stands_in_the_audit_log(owner: Person) -> None:
    accept(owner)
    address = finished(owner)
    owner.get(f"{address}file/")
    owner.get(f"{address}file/", {"Range": "bytes=9-"})
    owner.ask("HEAD", f"{address}file/")
    owner.ask("DELETE", address)
    entries = AuditEntry.objects.filter(act__startswith="export").order_by("pk")
    assert [each.act for each in entries] == [
        *("export_requested", "export_downloaded", "export_deleted")
    ]
    assert all(each.by.endswith("(olga's service)") for each in entries)


def test_the_eleventh_open_one_waits(owner: Person) -> None:
    for _ in range(10):
        assert create(owner).status == 202
    refused = create(owner)
    assert (refused.status, refused.code) == (429, "too_many_jobs")


@pytest.mark.parametrize(
    ("body", "status"), [(b'{"format":"parquet"}', 422), (b'{"columns":[]}', 422), (b"{", 400)]
)
def test_what_is_no_request_is_refused(owner: Person, body: bytes, status: int) -> None:
    assert create(owner, body=body).status == status
