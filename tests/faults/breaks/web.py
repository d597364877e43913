"""W: what happens to web."""

import os
import signal
import socket
import time

from tests.faults.rows import row
from tests.faults.sender import bearer_line
from tests.faults.stacks import EMBEDDED, PRODUCTION, Stack, wait_until

SLOW_CLIENTS = 10


@row("W1", PRODUCTION, EMBEDDED)
def killed_in_the_middle_of_bodies(stack: Stack) -> None:
    clients = [half_a_body(stack, number) for number in range(SLOW_CLIENTS)]
    (process,) = stack.processes("web")
    os.kill(process, signal.SIGKILL)
    for client in clients:
        with client:
            assert not answer_to(client), "half a body was answered"
    wait_until(lambda: stack.processes("web") != [process], "web's process is there again")


def half_a_body(stack: Stack, number: int) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", stack.ports["web"]), timeout=30)
    head = (
        "POST /api/v1/captures/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n"
        f"Idempotency-Key: half-{number}\r\n{bearer_line(stack.sender)}\r\n\r\n"
    )
    client.sendall(head.encode() + b"x" * 500)
    return client


def answer_to(client: socket.socket) -> bytes:
    try:
        return client.recv(1000)
    except ConnectionResetError:
        return b""


@row("W2", PRODUCTION, EMBEDDED)
def killed_between_commit_and_answer(stack: Stack) -> None:
    before = stack.sender.statuses[200]
    stack.arm("commit")
    # The resend is told that it is one.
    wait_until(lambda: stack.sender.statuses[200] > before, "what was kept is told again")


@row("W3", PRODUCTION, EMBEDDED)
def killed_between_commit_and_ring(stack: Stack) -> None:
    stack.arm("ring")
    stack.wait_until_struck("ring")


@row("W4", PRODUCTION, EMBEDDED)
def asked_to_end_again_and_again(stack: Stack) -> None:
    sender = stack.sender
    stack.release("web-2")
    wait_until(lambda: stack.is_listening("web-2"), "the second web listens")
    sender.ports = [stack.ports["web"], stack.ports["web-2"]]
    lost_answers, asked_again = sender.lost_answers, sender.statuses[503]
    rounds = int(stack.form.choose(1, 20))
    for _ in range(rounds):
        for name in ("web", "web-2"):
            stack.ask_to_end(name)
            time.sleep(0.3)
            stack.release(name)
            wait_until(lambda name=name: stack.is_listening(name), f"{name} listens again")
    cut, refused = sender.lost_answers - lost_answers, sender.statuses[503] - asked_again
    # What the kernel had taken for a web that no longer takes it is reset, and sent again.
    assert cut <= 2 * rounds, f"{cut} connections were cut by {2 * rounds} ends"
    assert refused == 0, f"{refused} were refused"
    sender.ports = [stack.ports["web"]]
    stack.ask_to_end("web-2")
