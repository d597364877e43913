"""A child at the other end of a socket, which may speak at any time."""

import asyncio
import socket

import uvloop

from inspector.proxy.child_process import ChildProcess
from inspector.proxy.frames import frame
from inspector.proxy.messages import TrySpool
from tests.proxy.scripted_upstream import WAIT_SECONDS


class Answering:
    """Answers each message, and notes what it is told of the child."""

    def __init__(self) -> None:
        self.child = ChildProcess("recorder", (), self)
        self.told: list[str] = []

    def child_connected(self) -> None:
        self.told.append("connected")

    def child_sent(self, payload: bytes) -> None:
        self.told.append("sent")
        self.child.write(b"answer")

    def child_has_room(self) -> None:
        self.told.append("has room")

    def child_lost(self) -> None:
        self.told.append("lost")


async def heard_before_it_was_listened_to(user: Answering) -> bytes:
    ours, theirs = socket.socketpair()
    theirs.sendall(frame([TrySpool()]))
    conversation = asyncio.create_task(user.child._converse(ours))
    theirs.setblocking(False)
    answer = await asyncio.get_running_loop().sock_recv(theirs, 100)
    theirs.close()
    await conversation
    return answer


def test_a_child_that_spoke_before_it_was_listened_to_is_answered():
    user = Answering()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        answer = asyncio.wait_for(heard_before_it_was_listened_to(user), WAIT_SECONDS)
        assert runner.run(answer) == b"answer"
    assert user.told == ["connected", "sent", "lost"]
