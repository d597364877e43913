"""C: what happens to those who inspect."""

import json
import os
import random
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import redis

from inspector.archive.storage.evidence import FORM
from inspector.core.analysis import ANALYSIS_VERSION
from tests.faults import strikes
from tests.faults.rows import row
from tests.faults.sender import body_of, next_key
from tests.faults.stacks import (
    EMBEDDED,
    PRODUCTION,
    Stack,
    parent_of,
    shows,
    wait_for,
    wait_until,
)

NEIGHBOURS, FEW_NEIGHBOURS = 99, 9
NEWEST_OF_BOTH = f"""
SELECT c.id FROM archive_capture c JOIN archive_inspection i ON i.capture_id = c.id
WHERE c.evidence_form = {FORM} AND i.analysis_version > {ANALYSIS_VERSION}
ORDER BY c.received_at DESC LIMIT 1
"""
GIVEN_UP = """
SELECT quarantine_reason FROM archive_capture
WHERE idempotency_key = '{}' AND quarantine_reason IS NOT NULL
"""


@row("C1", PRODUCTION, EMBEDDED)
def one_process_of_the_worker_is_killed_in_the_middle_of_a_task(stack: Stack) -> None:
    with stack.slow_reading():
        time.sleep(0.5)
        for _ in range(int(stack.form.choose(1, 10))):
            process = random.choice(stack.processes("worker"))
            os.kill(process, signal.SIGKILL)
            wait_until(
                lambda process=process: process not in stack.processes("worker"), "another one"
            )


@row("C2", PRODUCTION, EMBEDDED)
def all_that_work_are_killed_at_once(stack: Stack) -> None:
    with stack.slow_reading():
        time.sleep(0.5)
        for name in ("worker", "sweep"):
            stack.signal_group(name, signal.SIGKILL)
    assert stack.processes("worker")


@row("C3", PRODUCTION, EMBEDDED)
def stopped_beyond_its_lease_and_woken(stack: Stack) -> None:
    too_late = "inspected too late"
    before = stack.logs().count(too_late)
    # The sweep, as the embedded worker, ends itself once its time is up; a worker's child is ended.
    with stack.held("sweep"):
        stack.arm("store")
        process = stack.wait_until_struck("store")
        # All of it: a worker's parent would end the child whose time is up.
        stack.signal_group("worker", signal.SIGSTOP)
        claimed = {key for key, each in stack.kept().items() if each.state == "processing"}
    try:
        wait_until(
            lambda: all(stack.kept()[key].state == "inspected" for key in claimed),
            "somebody else inspects them",
            stack.form.settled_within_seconds,
        )
        os.kill(process, signal.SIGCONT)
        wait_until(
            lambda: stack.logs().count(too_late) > before or parent_of(process) is None,
            "the late one is refused, or has ended itself",
        )
    finally:
        stack.signal_group("worker", signal.SIGCONT)


@row("C4", PRODUCTION, EMBEDDED)
def a_payload_kills_its_process(stack: Stack) -> None:
    neighbours = int(stack.form.choose(FEW_NEIGHBOURS, NEIGHBOURS))
    poison(stack, strikes.KILLS, "the reading ended its process (-9)", neighbours)


@row("C5-memory", PRODUCTION, EMBEDDED)
def a_payload_eats_memory(stack: Stack) -> None:
    poison(stack, strikes.EATS, "more than 1,024 MiB of memory")


@row("C5-time", PRODUCTION, EMBEDDED)
def a_payload_never_ends(stack: Stack) -> None:
    poison(stack, strikes.SPINS, "the reading took ")


def poison(stack: Stack, said: bytes, reason: str, neighbours: int = FEW_NEIGHBOURS) -> None:
    """One among its neighbours, all due when somebody comes to look; that is given up shown with
    its reason, and everything else inspected.
    """
    key = next_key()
    with stack.held("worker", "sweep"):
        for _ in range(neighbours // 2):
            stack.sender.send()
        stack.sender.send(key, body_of(key, said), poison=True)
        for _ in range(neighbours - neighbours // 2):
            stack.sender.send()
    ((told,),) = wait_for(
        lambda: stack.ask(GIVEN_UP.format(key)),
        "the poison is given up",
        stack.form.settled_within_seconds,
    )
    assert reason in str(told), told


@row("C6", PRODUCTION, EMBEDDED)
def nobody_works_for_a_while(stack: Stack) -> None:
    refused = stack.sender.statuses[503]
    with stack.held("worker", "sweep"):
        time.sleep(stack.form.choose(2, 1800))
        assert stack.sender.get("/readyz").status == 200
    assert stack.sender.statuses[503] == refused


@row("C7", PRODUCTION, EMBEDDED)
def programs_of_two_releases_work_side_by_side(stack: Stack) -> None:
    with later_release(stack, "web"):
        stack.wait_until_ready()
        wait_until(lambda: of_newer_form(stack), "the later web stores")
        time.sleep(stack.form.choose(2, 60))
        # What the earlier worker and sweep do not know they leave as it is.
        assert not of_newer_form(stack, "(state <> 'received' OR attempt > 0)")
    with later_release(stack, "worker", "sweep"):
        wait_until(lambda: not of_newer_form(stack, "state <> 'inspected'"), "it is inspected")
        wait_until(lambda: stack.ask(NEWEST_OF_BOTH), "they inspect what the earlier web stores")
        # What the later ones said the earlier web shows in its own words.
        ((capture_id,),) = stack.ask(NEWEST_OF_BOTH)
        stack.wait_until_ready()
        assert stack.sender.get(f"/api/v1/captures/{capture_id}/").status == 200
        assert shows(stack)


@contextmanager
def later_release(stack: Stack, *names: str) -> Iterator[None]:
    for name in names:
        stack.release(name, FAULTS_RELEASE="later")
    try:
        yield
    finally:
        for name in names:
            stack.release(name, FAULTS_RELEASE="this")


def of_newer_form(stack: Stack, where: str = "true") -> int:
    ((found,),) = stack.ask(
        f"SELECT count(*) FROM archive_capture WHERE evidence_form > {FORM} AND {where}"
    )
    return int(str(found))


@row("C8", PRODUCTION, EMBEDDED)
def rings_are_doubled_foreign_and_broken(stack: Stack) -> None:
    """Whatever lies in the queue, it only says that somebody should look at the table."""
    junk = [b"", b"\x00\xff", b"[]", b"{}", b'{"body": "bm8=", "headers": null}', b"no JSON"]
    ring = json.dumps(message("inspector.archive.inspection.tasks.drain")).encode()
    unknown = json.dumps(message("inspector.archive.inspection.tasks.unheard_of")).encode()
    foreign = json.dumps(message("inspector.archive.inspection.tasks.drain", [1, {}])).encode()
    put = put_in_pipe if stack.name == EMBEDDED else put_in_redis
    stack.wait_until_rung()
    before = stack.leader("worker")
    put(stack, [*junk, ring, ring, unknown, foreign, *junk, ring])
    stack.wait_until_rung()
    assert stack.leader("worker") == before, "the worker bears it"


def message(task: str, arguments: list[object] | None = None) -> dict[str, object]:
    """As Celery's protocol 2 has it, body in JSON without base64."""
    task_id = str(uuid4())
    return {
        "body": json.dumps([arguments or [], {}, {}]),
        "content-encoding": "utf-8",
        "content-type": "application/json",
        "headers": {
            "lang": "py",
            "task": task,
            "id": task_id,
            "root_id": task_id,
            "parent_id": None,
        },
        "properties": {
            "correlation_id": task_id,
            "delivery_tag": task_id,
            "delivery_info": {"exchange": "", "routing_key": "celery"},
        },
    }


def put_in_redis(stack: Stack, messages: list[bytes]) -> None:
    with redis.Redis.from_url(stack.redis_url) as client:
        client.lpush("celery", *messages)


def put_in_pipe(stack: Stack, messages: list[bytes]) -> None:
    for message in messages:
        (stack.data / "bell").write_bytes(message)
