"""Differences of a later release: it packs evidence in a form of its own, and has a verdict that
nobody heard of before.
"""

from collections.abc import Callable
from typing import Any

import msgspec
import zstandard

from inspector.core import analysis

UNHEARD_OF = "unheard-of"


def count_up() -> None:
    """Before anything imports it by name."""
    analysis.ANALYSIS_VERSION += 1


def install() -> None:
    """After ``count_up``, when the models are there."""
    from inspector.archive.inspection import reinspection, tasks
    from inspector.archive.storage import evidence

    evidence.FORM += 1
    evidence.pack = packing(evidence.pack)
    evidence.unpack = unpacking(evidence.unpack, evidence.FORM)
    for module in (tasks, reinspection):
        module.project = projecting(module.project)  # type: ignore[attr-defined]


def packing(pack: Callable[..., Any]) -> Callable[..., Any]:
    def packed(*arguments: Any) -> Any:
        return turned(pack(*arguments))

    return packed


def unpacking(unpack: Callable[..., Any], form: int) -> Callable[..., Any]:
    def unpacked(capture: Any, stored: Any) -> Any:
        return unpack(capture, turned(stored) if capture.evidence_form == form else stored)

    return unpacked


def turned(stored: Any) -> Any:
    return type(stored)(
        capture_id=stored.capture_id,
        body=stored.body,
        reads=bytes(stored.reads)[::-1],
        surroundings=bytes(stored.surroundings)[::-1],
    )


def projecting(project: Callable[..., Any]) -> Callable[..., Any]:
    def projected(*arguments: Any) -> Any:
        rows = project(*arguments)
        rows.inspection.verdict = UNHEARD_OF
        rows.inspection.analysis_version = rows.inspection.tried_version = analysis.ANALYSIS_VERSION
        rows.document.readout = said(rows.document.readout)
        return rows

    return projected


def said(packed: bytes) -> bytes:
    stored = msgspec.msgpack.decode(zstandard.decompress(packed))
    stored["analysis"] |= {"analysis_version": analysis.ANALYSIS_VERSION, "verdict": UNHEARD_OF}
    return zstandard.compress(msgspec.msgpack.encode(stored))
