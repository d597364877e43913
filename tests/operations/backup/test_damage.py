"""Damage to a file on its way: it is named, and nothing is done with the file."""

import hashlib
import tarfile
import tracemalloc
from base64 import b64encode
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.core.management import CommandError, call_command
from zstandard import ZstdDecompressor, compress

from inspector.archive.models import Evidence
from inspector.operations.backup.create import create_backup
from inspector.operations.backup.progress import unwatched
from tests.archive.samples import STREAM, accept, inspected
from tests.operations.backup import places
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

Change = Callable[[dict[str, Any]], object]


WHOLE: list[bytes] = []
"""The backup, once it is made: what is done to it does not ask what it was made of."""


@pytest.fixture
def file(owner: Person, tmp_path: Path) -> Path:
    path = tmp_path / "backup.tar"
    if not WHOLE:
        inspected(owner, STREAM)
        create_backup(path, unwatched)
        WHOLE.append(path.read_bytes())
    path.write_bytes(WHOLE[0])
    return path


def refused(file: Path) -> CommandError:
    with pytest.raises(CommandError) as trouble:
        call_command("verify_backup", file, verbosity=0)
    return trouble.value


def test_a_flipped_byte_is_found_in_every_part(file: Path) -> None:
    whole = file.read_bytes()
    with tarfile.open(file) as tar:
        members = [(member.name, member.offset_data, member.size) for member in tar]
    assert len(members) > 9
    for name, start, size in members:
        for at in (start, start + size // 2, start + size - 1):
            file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
            trouble = refused(file)
            assert trouble.returncode == 1, name
            assert name in str(trouble) or name == "SHA256SUMS"


def test_a_flipped_byte_between_the_parts_is_found(file: Path) -> None:
    whole = file.read_bytes()
    with tarfile.open(file) as tar:
        headers = [(member.name, member.offset) for member in tar]
    for name, at in headers:
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert refused(file).returncode == 1, name


@pytest.mark.parametrize("name", ["README.txt", "manifest.json", "SHA256SUMS", "another"])
def test_a_link_is_never_followed(file: Path, name: str) -> None:
    with tarfile.open(file, "a") as tar:
        member = tarfile.TarInfo(name)
        member.type, member.linkname = tarfile.SYMTYPE, "rows/archive_evidence/000000.ndjson.zst"
        tar.addfile(member)
    trouble = refused(file)
    assert trouble.returncode == 1 and name in str(trouble)


def test_a_file_that_ends_early_is_found(file: Path) -> None:
    whole = file.read_bytes()
    with tarfile.open(file) as tar:
        members = [(member.offset, member.offset_data, member.size) for member in tar]
    for header, start, size in members:
        for end in (header, header + 100, start, start + size // 2):
            file.write_bytes(whole[:end])
            assert refused(file).returncode == 1, end


def test_bytes_that_are_not_those_of_their_row_are_found(file: Path, owner: Person) -> None:
    changed = accept(owner, b"one")
    other = Evidence.objects.get(pk=accept(owner, b"two"))
    Evidence.objects.filter(pk=changed).update(body=other.body)
    gone = accept(owner, b"three")
    Evidence.objects.filter(pk=gone).delete()
    broken = accept(owner, b"four")
    Evidence.objects.filter(pk=broken).update(body=b"not zstd")
    again = file.with_name("again.tar")
    with pytest.raises(CommandError) as trouble:
        call_command("backup", again, verify=True, verbosity=0)
    assert trouble.value.returncode == 1
    assert [line.split(":")[0] for line in str(trouble.value).splitlines()] == [
        f"capture {capture_id}" for capture_id in (changed, gone, broken)
    ]


def test_a_damaged_file_changes_nothing(file: Path, tmp_path: Path) -> None:
    whole = file.read_bytes()
    with tarfile.open(file) as tar:
        at = tar.getmember("rows/archive_evidence/000000.ndjson.zst").offset_data + 50
    file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    fresh = places.sqlite(tmp_path / "data")
    ended = fresh.run("restore", str(file))
    assert ended.returncode == 1 and "rows/archive_evidence/000000.ndjson.zst" in ended.stderr
    assert fresh.run("backup", str(tmp_path / "of-fresh.tar")).returncode == 2


def with_manifest(file: Path, change: Change) -> None:
    def changed(members: dict[str, bytes]) -> None:
        manifest = msgspec.json.decode(members["manifest.json"])
        change(manifest)
        members["manifest.json"] = msgspec.json.encode(manifest)

    with_members(file, changed)


def with_lines(file: Path, table: str, packed: bytes) -> None:
    part = f"rows/{table}/000000.ndjson.zst"
    with_members(file, lambda members: members.update({part: packed}))


def with_members(file: Path, change: Change) -> None:
    """As another program would have written it: its hashes are right."""
    with tarfile.open(file) as tar:
        members = {m.name: tar.extractfile(m).read() for m in tar}  # type: ignore[union-attr]
    change(members)
    del members["SHA256SUMS"]
    sums = "".join(f"{hashlib.sha256(data).hexdigest()}  {n}\n" for n, data in members.items())
    with tarfile.open(file, "w") as tar:
        for name, data in [*members.items(), ("SHA256SUMS", sums.encode())]:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, BytesIO(data))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda m: m["migrations"].append(["archive", "0999_later"]), "archive 0999_later"),
        (lambda m: m.update(format_version=2), "form 2"),
        (lambda m: m.update(format="mine"), "'mine'"),
    ],
)
def test_what_another_program_made_is_not_restored(file: Path, change: Change, says: str) -> None:
    with_manifest(file, change)
    with pytest.raises(CommandError) as trouble:
        call_command("restore", file)
    assert trouble.value.returncode == 2 and says in str(trouble.value)


def one_line(file: Path) -> str:
    trouble = refused(file)
    assert trouble.returncode == 1 and "\n" not in str(trouble)
    return str(trouble)


@pytest.mark.parametrize("parts", [10**9, -1])
def test_a_number_of_parts_that_is_not_there_is_damage(file: Path, parts: int) -> None:
    with_manifest(file, lambda m: m["tables"][0].update(parts=parts))
    assert one_line(file).startswith(f"manifest.json: {parts} parts")


@pytest.mark.parametrize(
    "change", [lambda m: m.update(captures=7), lambda m: m.update(tables=[{"name": "x"}])]
)
def test_a_manifest_that_is_none_is_damage(file: Path, change: Change) -> None:
    with_manifest(file, change)
    assert one_line(file).startswith("manifest.json: ")


@pytest.mark.parametrize(
    ("packed", "says"),
    [
        (b"not zstd", "cannot be decompressed"),
        (compress(b"[1]\n"), "line 1 is no row"),
        (compress(b'{"id":\xff}\n'), "line 1 is no row"),
        (compress(b" " * 100_000), "a line has more than 2,000 bytes"),
    ],
)
def test_lines_that_are_no_rows_are_damage(
    file: Path, packed: bytes, says: str, settings: Any
) -> None:
    settings.MAX_BODY_BYTES = 1_000
    with_lines(file, "archive_capture", packed)
    assert says in one_line(file)


def test_a_body_is_unpacked_no_further_than_its_row_says(file: Path) -> None:
    with tarfile.open(file) as tar:
        part = tar.extractfile("rows/archive_evidence/000000.ndjson.zst")
        assert part is not None
        row = msgspec.json.decode(ZstdDecompressor().decompressobj().decompress(part.read()))
    bomb = b64encode(compress(bytes(200_000_000))).decode()
    with_lines(file, "archive_evidence", compress(msgspec.json.encode({**row, "body": bomb})))
    tracemalloc.start()
    assert "its bytes are not those that came (more than " in one_line(file)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 50_000_000


def test_a_name_that_would_steer_a_terminal_is_shown(file: Path) -> None:
    with tarfile.open(file, "a") as tar:
        tar.addfile(tarfile.TarInfo("\x1b[2J"))
    assert one_line(file) == "␛[2J: SHA256SUMS does not know it"


def test_something_else_is_no_backup(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no backup at all\n" * 100)
    assert refused(tmp_path / "notes.txt").returncode == 1
    assert refused(tmp_path / "missing.tar").returncode == 2
