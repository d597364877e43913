"""R: what happens to Redis. It carries rings and nothing else, so nothing may come of it."""

import os
import signal
import time

import redis

from tests.faults.rows import row
from tests.faults.stacks import PRODUCTION, Stack


def pid(stack: Stack) -> int:
    with redis.Redis.from_url(stack.redis_url) as client:
        return int(client.info()["process_id"])


def only_accepted_since(stack: Stack, statuses: dict[int, int]) -> bool:
    """Nobody was refused, and nobody had to ask twice."""
    return all(
        stack.sender.statuses[status] == statuses.get(status, 0)
        for status in stack.sender.statuses
        if status != 202
    )


@row("R1", PRODUCTION)
def killed_and_started_again_empty(stack: Stack) -> None:
    before = dict(stack.sender.statuses)
    os.kill(pid(stack), signal.SIGKILL)
    time.sleep(stack.form.choose(1.5, 30))
    assert only_accepted_since(stack, before)
    stack.redis.close()
    stack.start_redis()


@row("R2", PRODUCTION)
def hung(stack: Stack) -> None:
    before = dict(stack.sender.statuses)
    process = pid(stack)
    os.kill(process, signal.SIGSTOP)
    try:
        time.sleep(stack.form.choose(3, 120))
        assert only_accepted_since(stack, before)
    finally:
        os.kill(process, signal.SIGCONT)


@row("R3", PRODUCTION)
def full(stack: Stack) -> None:
    before = dict(stack.sender.statuses)
    with redis.Redis.from_url(stack.redis_url) as client:
        for policy in ("noeviction", "allkeys-lru"):
            client.config_set("maxmemory-policy", policy)
            client.config_set("maxmemory", 1)
            time.sleep(stack.form.choose(1, 30))
        client.config_set("maxmemory", 0)
    assert only_accepted_since(stack, before)


@row("R4", PRODUCTION)
def flushed(stack: Stack) -> None:
    before = dict(stack.sender.statuses)
    with redis.Redis.from_url(stack.redis_url) as client:
        for _ in range(int(stack.form.choose(10, 100))):
            client.flushall()
            time.sleep(0.1)
    assert only_accepted_since(stack, before)


@row("R5", PRODUCTION)
def restarted_again_and_again(stack: Stack) -> None:
    before = dict(stack.sender.statuses)
    # Not the sweep: the worker itself consumes again, after every one of them.
    with stack.held("sweep"):
        for _ in range(int(stack.form.choose(3, 20))):
            stack.redis.close()
            time.sleep(stack.form.choose(0.3, 5))
            stack.start_redis()
            stack.wait_until_rung()
    assert only_accepted_since(stack, before)
