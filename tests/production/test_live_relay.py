"""A call that one host records is watched on another, which has another data directory."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from development.servers import NOBODYS_PORT
from tests.people import Person
from tests.proxy.scripted_upstream import Gate, ScriptedUpstream
from tests.proxy.viewer.live_host import HEAD, LAST, LiveHost, chunked, path_of, recording_id
from tests.proxy.viewer.viewing import chunk, text_of

pytestmark = [pytest.mark.production, pytest.mark.django_db(transaction=True)]
KEY = "sk-proj-aBcD1234efGH5678ijklMNop"
CODED_HEAD = HEAD.replace(b"Content-Type", b"Content-Encoding: gzip\r\nContent-Type")


@pytest.fixture
def upstream() -> Iterator[ScriptedUpstream]:
    with ScriptedUpstream() as upstream:
        yield upstream


def watch_elsewhere(
    owner: Person, upstream: ScriptedUpstream, tmp_path: Path, **there: str
) -> None:
    gates = [Gate(), Gate()]
    script = (HEAD + chunked(chunk("one ")), gates[0], chunked(chunk("two")), gates[1], LAST)
    upstream.answer(*script)
    with (
        LiveHost(tmp_path / "here") as here,
        LiveHost(tmp_path / "there", **there) as elsewhere,
        here.call(path_of(owner, upstream.url)) as answer,
        elsewhere.watch(owner, recording_id(owner)) as watching,
    ):
        watching.until(lambda told: text_of(told) == "one ")
        gates[0].open()
        watching.until(lambda told: text_of(told) == "one two")
        gates[1].open()
        assert answer.read() == chunk("one ") + chunk("two")
        assert watching.until(lambda told: told[-1:] == [("end", {})])


def test_through_redis(owner: Person, upstream: ScriptedUpstream, tmp_path: Path) -> None:
    watch_elsewhere(owner, upstream, tmp_path)


def test_what_only_the_spool_has_comes_through_redis_without_the_credential(
    owner: Person, upstream: ScriptedUpstream, tmp_path: Path
) -> None:
    """A compressed answer that repeats the caller's key is kept decompressed from there on; no
    segment of the database can say that.
    """
    coder, gate = zlib.compressobj(wbits=31), Gate()

    def coded(text: str) -> bytes:
        return chunked(coder.compress(chunk(text)) + coder.flush(zlib.Z_SYNC_FLUSH))

    upstream.answer(CODED_HEAD + coded("one "), gate, coded(f"your key is {KEY}. "), Gate())
    with (
        LiveHost(tmp_path / "here") as here,
        LiveHost(tmp_path / "there") as elsewhere,
        here.call(path_of(owner, upstream.url), Authorization=f"Bearer {KEY}"),
        elsewhere.watch(owner, recording_id(owner)) as watching,
    ):
        watching.until(lambda told: text_of(told) == "one ")
        gate.open()
        masked = f"one your key is {'*' * len(KEY)}. "
        told = watching.until(lambda told: text_of(told) == masked)
    assert KEY not in str(told)


def test_from_the_database_where_redis_is_lost(
    owner: Person, upstream: ScriptedUpstream, tmp_path: Path
) -> None:
    nowhere = f"redis://127.0.0.1:{NOBODYS_PORT}/0"
    watch_elsewhere(owner, upstream, tmp_path, REDIS_URL=nowhere)
