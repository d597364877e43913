"""A ZIP of bodies (APPNOTE.TXT 6.3), written capture by capture: entries, the manifest that becomes
the last of them, and the central directory are three parts, so that none needs another one read
again. ZIP64 records only where a number needs them.
"""

import zlib
from datetime import UTC, datetime
from struct import pack

import msgspec

from inspector.archive.download import ending_of
from inspector.archive.listing.stored_captures import StoredCapture
from inspector.transfer.exports.written import Pieces, Written

PARTS = 3
MANIFEST = "manifest.jsonl"
DEFLATE_LEVEL = 6
"""zlib's own default."""
# Of APPNOTE.TXT: methods 4.4.5; what stands where a number is in ZIP64 4.4.1.4; versions 4.4.3; the
# extra field 4.5.3 and the end record (less 12) 4.3.14; system 4.4.2; mode 4.4.15; dates 4.4.6.
STORED, DEFLATED = 0, 8
MAX_16, MAX_32 = 0xFFFF, 0xFFFFFFFF
VERSION, VERSION_ZIP64 = 20, 45
ZIP64_EXTRA, ZIP64_END_BYTES = 1, 44
MADE_ON_UNIX = 3 << 8
PRIVATE_FILE = 0o100600 << 16
FIRST_YEAR = 1980


class _Member(msgspec.Struct, frozen=True, kw_only=True):
    """An entry by what its two headers say of it. ``offset``: of its local header."""

    name: bytes
    method: int
    checksum: int
    packed_length: int
    length: int
    at: datetime
    offset: int


class _ManifestLine(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    id: str
    received_at: datetime
    sha256: str
    byte_length: int
    content_type: str | None
    status: int | None


def begin() -> Pieces:
    return b"", b"", b""


def add(capture: StoredCapture, written: Written) -> Pieces:
    body = capture.exchange.body
    name = f"{capture.id}.{ending_of(capture.exchange.content_type)}"
    packed = _deflated(body)
    is_smaller = len(packed) < len(body)
    member = _Member(
        name=name.encode(),
        method=DEFLATED if is_smaller else STORED,
        checksum=zlib.crc32(body),
        packed_length=len(packed) if is_smaller else len(body),
        length=len(body),
        at=capture.origin.received_at,
        offset=written.lengths[0],
    )
    content = packed if is_smaller else body
    line = _ManifestLine(
        name=name,
        id=str(capture.origin.id),
        received_at=capture.origin.received_at,
        sha256=capture.sha256,
        byte_length=len(body),
        content_type=capture.exchange.content_type,
        status=capture.exchange.status_code,
    )
    return (
        _local_header(member) + content,
        msgspec.json.encode(line) + b"\n",
        _directory_record(member),
    )


def end(written: Written) -> Pieces:
    entries, manifest, directory = written.lengths
    member = _Member(
        name=MANIFEST.encode(),
        method=STORED,
        checksum=written.checksums[1],
        packed_length=manifest,
        length=manifest,
        at=datetime.now(UTC),
        offset=entries,
    )
    header, record = _local_header(member), _directory_record(member)
    begins = entries + len(header) + manifest
    length = directory + len(record)
    return header, b"", record + _end_records(written.captures + 1, begins, length)


def _deflated(body: bytes) -> bytes:
    stream = zlib.compressobj(DEFLATE_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    return stream.compress(body) + stream.flush()


def _local_header(member: _Member) -> bytes:
    # A manifest of over 4 GB has its length in the extra field, twice; no body is so long.
    is_long = member.length >= MAX_32
    extra = pack("<HHQQ", ZIP64_EXTRA, 16, member.length, member.packed_length) if is_long else b""
    return b"PK\3\4" + pack("<H", _version(is_long)) + _common(member, extra) + member.name + extra


def _directory_record(member: _Member) -> bytes:
    is_long, is_far = member.length >= MAX_32, member.offset >= MAX_32
    numbers = (member.length, member.packed_length) if is_long else ()
    numbers = (*numbers, member.offset) if is_far else numbers
    extra = pack("<HH", ZIP64_EXTRA, 8 * len(numbers)) if numbers else b""
    extra += b"".join(pack("<Q", number) for number in numbers)
    version = _version(bool(numbers))
    place = pack("<HHHII", 0, 0, 0, PRIVATE_FILE, min(member.offset, MAX_32))
    made_by = pack("<HH", MADE_ON_UNIX | version, version)
    return b"PK\1\2" + made_by + _common(member, extra) + place + member.name + extra


def _common(member: _Member, extra: bytes) -> bytes:
    """Return the fields that both headers have: flags, method, time, CRC-32 and lengths."""
    time, date = _dos_moment(member.at)
    return pack(
        "<HHHHIIIHH",
        0,
        member.method,
        time,
        date,
        member.checksum,
        min(member.packed_length, MAX_32),
        min(member.length, MAX_32),
        len(member.name),
        len(extra),
    )


def _end_records(count: int, begins: int, length: int) -> bytes:
    short = pack("<HHHHIIH", 0, 0, *(min(count, MAX_16),) * 2, *_short(length, begins), 0)
    if count < MAX_16 and begins < MAX_32 and length < MAX_32:
        return b"PK\5\6" + short
    versions = pack("<HH", MADE_ON_UNIX | VERSION_ZIP64, VERSION_ZIP64)
    record = (
        pack("<Q", ZIP64_END_BYTES) + versions + pack("<IIQQQQ", 0, 0, count, count, length, begins)
    )
    locator = pack("<IQI", 0, begins + length, 1)
    return b"PK\6\6" + record + b"PK\6\7" + locator + b"PK\5\6" + short


def _short(length: int, begins: int) -> tuple[int, int]:
    return min(length, MAX_32), min(begins, MAX_32)


def _version(is_zip64: bool) -> int:
    return VERSION_ZIP64 if is_zip64 else VERSION


def _dos_moment(at: datetime) -> tuple[int, int]:
    # Of its time zone ZIP says nothing: UTC.
    time = at.hour << 11 | at.minute << 5 | at.second // 2
    return time, max(at.year - FIRST_YEAR, 0) << 9 | at.month << 5 | at.day
