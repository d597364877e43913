"""Each form is what other programs take it for."""

import csv
import hashlib
import json
import zipfile
import zlib
from datetime import UTC, datetime
from io import BytesIO, StringIO
from typing import Any

import pytest

from inspector.archive.intake.submission import Submission
from inspector.archive.listing.capture_values import CaptureRow
from inspector.archive.queries import Captures
from inspector.core.wire.exchange import Exchange
from inspector.transfer.exports import zip_file
from inspector.transfer.exports.written import Written
from inspector.transfer.har import entries_in, parse_entry
from tests.archive.samples import JSON, STREAM, WHOLE, accept, accept_arrival, inspect_all
from tests.people import Person
from tests.transfer.exports.carried import BINARY, everything, exported, made, source_of


def rows_in(text: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(text.decode(), newline="")))


def test_csv_has_the_columns_of_the_list_and_the_costs(owner: Person) -> None:
    capture_id = accept(owner)
    inspect_all()
    text = exported(owner.team, "csv")
    [row] = rows_in(text)
    assert list(row)[: len(CaptureRow.__struct_fields__)] == list(CaptureRow.__struct_fields__)
    assert row["id"] == str(capture_id)
    assert (row["verdict"], row["model"], row["prompt_tokens"]) == ("complete", "gpt-4o", "3")
    assert row["finish_reasons"] == '["stop"]'
    assert row["computed_usd"] and row["computed_is_lower_bound"] == "false"
    assert (row["streamed"], row["answer_line"]) == ("false", "Hello")


def test_csv_tells_null_from_an_empty_text_and_from_0(owner: Person) -> None:
    accept(owner, WHOLE.replace(b'"Hello"', b'""').replace(b'"cached_tokens":1', b'"x":0'))
    inspect_all()
    head, row = exported(owner.team, "csv").decode().splitlines()
    cells = dict(zip(head.replace('"', "").split(","), row.split(","), strict=False))
    assert (cells["verdict"], cells["first_token_us"]) == ('"complete"', "")
    assert cells["error_count"] == "0"


@pytest.mark.parametrize("model", ["=1+1", "+1", "-1", "@SUM(A1)", "\\tx"])
def test_csv_gives_no_spreadsheet_a_formula(owner: Person, model: str) -> None:
    accept(owner, WHOLE.replace(b"gpt-4o", model.encode()))
    inspect_all()
    [row] = rows_in(exported(owner.team, "csv"))
    assert row["model"] == "'" + json.loads(f'"{model}"')


def test_csv_quotes_what_would_end_a_field(owner: Person) -> None:
    accept(owner, WHOLE.replace(b"Hello", b'a \\"b\\", c'))
    inspect_all()
    [row] = rows_in(exported(owner.team, "csv"))
    assert row["answer_line"] == 'a "b", c'


def test_har_has_an_entry_for_each_that_reads_as_the_exchange_it_was(owner: Person) -> None:
    ids = everything(owner)
    entries = entries_in(json.loads(exported(owner.team, "har")))
    assert entries is not None and len(entries) == len(ids)
    captures = Captures((owner.team.pk,))
    for capture_id, entry in zip(ids, entries, strict=True):
        assert parse_entry(entry).exchange == captures.evidence(capture_id)


def test_har_of_nothing_is_a_har(owner: Person) -> None:
    assert entries_in(json.loads(exported(owner.team, "har"))) == []


def test_zip_has_every_body_and_a_manifest_of_their_hashes(owner: Person) -> None:
    ids = everything(owner)
    captures = Captures((owner.team.pk,))
    with zipfile.ZipFile(BytesIO(made(owner, "zip")[1])) as found:
        assert found.testzip() is None
        manifest = [json.loads(line) for line in found.read("manifest.jsonl").splitlines()]
        assert [line["id"] for line in manifest] == [str(each) for each in ids]
        assert found.namelist() == [*(line["name"] for line in manifest), "manifest.jsonl"]
        for capture_id, line in zip(ids, manifest, strict=True):
            body = found.read(line["name"])
            exchange = captures.evidence(capture_id)
            assert exchange is not None and body == exchange.body
            assert (hashlib.sha256(body).hexdigest(), len(body)) == (
                line["sha256"],
                line["byte_length"],
            )
    assert [line["name"].rpartition(".")[2] for line in manifest] == [
        *("sse", "json", "txt", "txt", "txt"),
        "txt",
    ]


def test_zip_deflates_what_gets_smaller_by_it_alone(owner: Person) -> None:
    accept(owner, STREAM)
    accept_arrival(owner, Submission(BINARY))
    with zipfile.ZipFile(BytesIO(exported(owner.team, "zip"))) as found:
        methods = [each.compress_type for each in found.infolist()]
    assert methods == [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_STORED]


def test_zip_dates_its_entries_by_arrival_in_utc(owner: Person) -> None:
    accept(owner)
    inspect_all()
    [capture] = source_of(owner.team).captures.page().rows
    with zipfile.ZipFile(BytesIO(exported(owner.team, "zip"))) as found:
        told = datetime(*found.infolist()[0].date_time, tzinfo=UTC)
    assert 0 <= (capture.received_at - told).total_seconds() < 2


def test_zip_of_nothing_has_an_empty_manifest(owner: Person) -> None:
    with zipfile.ZipFile(BytesIO(exported(owner.team, "zip"))) as found:
        assert (found.namelist(), found.read("manifest.jsonl")) == (["manifest.jsonl"], b"")


def test_zip_of_more_entries_than_16_bits_count_is_a_zip64(owner: Person) -> None:
    accept(owner, b"{}", JSON)
    captures = source_of(owner.team).captures
    [capture] = captures.stored([captures.page().rows[0].id]).values()
    written, parts = Written.nothing(zip_file.PARTS), [bytearray() for _ in range(3)]
    for _ in range(66_000):
        pieces = zip_file.add(capture, written)
        for part, piece in zip(parts, pieces, strict=True):
            part += piece
        lengths = tuple(map(len, parts))
        written = Written(written.captures + 1, lengths, written.checksums)
    written = Written(written.captures, written.lengths, tuple(map(zlib.crc32, parts)))
    for part, piece in zip(parts, zip_file.end(written), strict=True):
        part += piece
    with zipfile.ZipFile(BytesIO(b"".join(parts))) as found:
        assert len(found.infolist()) == 66_001
        assert found.read(found.infolist()[-2]) == b"{}"
        assert found.read("manifest.jsonl").count(b"\n") == 66_000


def test_zip_of_more_than_4_gb_finds_its_entries(owner: Person) -> None:
    """Read through a file that has a hole where four gigabytes of other entries would be."""
    accept_arrival(owner, Submission(Exchange.of_body(b"{}", JSON)))
    captures = source_of(owner.team).captures
    [capture] = captures.stored([captures.page().rows[0].id]).values()
    begins = 5_000_000_000
    written = Written(1, (begins, 0, 0), (0, 0, 0))
    pieces = zip_file.add(capture, written)
    written = written.followed_by(pieces, 1)
    tail = b"".join(
        before + after for before, after in zip(pieces, zip_file.end(written), strict=True)
    )
    with zipfile.ZipFile(FarFile(begins, tail)) as found:
        assert [each.header_offset for each in found.infolist()][0] == begins
        assert found.read(found.infolist()[0]) == b"{}"


class FarFile(BytesIO):
    """A file of which only the end is held."""

    def __init__(self, begins: int, tail: bytes) -> None:
        super().__init__(tail)
        self._begins = begins

    def seek(self, offset: int, whence: int = 0) -> int:
        at = offset - self._begins if whence == 0 else offset
        return super().seek(at, whence) + self._begins

    def tell(self) -> int:
        return super().tell() + self._begins

    def read(self, size: Any = -1) -> bytes:
        return super().read(size)
