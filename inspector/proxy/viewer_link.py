"""The viewer as the proxy knows it: a child that may be slow, hang or die at any time.

No forwarded call needs it. Whoever asks it something gets answers one by one, or learns that it is
gone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from inspector.proxy.child_process import ChildProcess
from inspector.proxy.frames import frame
from inspector.proxy.viewer_messages import (
    ViewerMessage,
    ViewerQuestion,
    ViewerStopping,
    viewer_messages,
)


class ViewerDialogue:
    """One question and what the viewer answers to it."""

    def __init__(self, link: ViewerLink, number: int) -> None:
        self._link = link
        self._came: asyncio.Queue[ViewerMessage | None] = asyncio.Queue()
        self.number = number

    def say(self, message: ViewerQuestion) -> None:
        self._link.say(message)

    async def next(self) -> ViewerMessage | None:
        """Returns None if the viewer is gone. How much may come unread is for the question to
        bound.
        """
        return await self._came.get()

    def take(self, message: ViewerMessage | None) -> None:
        self._came.put_nowait(message)


class ViewerLink:
    """An empty command starts no viewer."""

    def __init__(self, command: Sequence[str]) -> None:
        self._child = ChildProcess("viewer", command, self)
        self._is_wanted = bool(command)
        self._dialogues: dict[int, ViewerDialogue] = {}
        self._number = 0

    @property
    def starts(self) -> int:
        return self._child.starts

    @property
    def is_connected(self) -> bool:
        return self._child.is_connected

    def start(self) -> None:
        if self._is_wanted:
            self._child.start()

    async def stop(self, seconds: float) -> None:
        if self._is_wanted:
            self._child.ask_to_stop()
            self._child.write(frame([ViewerStopping()]))
            await self._child.stop(seconds)

    @contextmanager
    def dialogue(self) -> Iterator[ViewerDialogue | None]:
        """Opens a dialogue with the viewer; None if it takes no questions now: it does not run, or
        hangs.
        """
        if not self._child.has_room:
            yield None
            return
        self._number += 1
        dialogue = ViewerDialogue(self, self._number)
        self._dialogues[dialogue.number] = dialogue
        try:
            yield dialogue
        finally:
            self._dialogues.pop(dialogue.number, None)

    def say(self, message: ViewerQuestion) -> None:
        self._child.write(frame([message]))

    # -- what the child does ----------------------------------------------------------------------

    def child_connected(self) -> None:
        pass

    def child_sent(self, payload: bytes) -> None:
        for message in viewer_messages(payload):
            dialogue = self._dialogues.get(message.number)
            if dialogue is not None:
                dialogue.take(message)

    def child_has_room(self) -> None:
        pass

    def child_lost(self) -> None:
        lost, self._dialogues = self._dialogues, {}
        for dialogue in lost.values():
            dialogue.take(None)
