"""A steady sender: each body again and again until it is acknowledged, as a careful client does."""

import http.client
import json
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from types import TracebackType

from tests.faults.ledger import Ledger
from tests.people import Answer, bearer

THREADS = 3
ANSWER_SECONDS = 10.0
AGAIN_SECONDS = 0.1
LONGEST_REST_SECONDS = 0.5
"""Whatever ``Retry-After`` says: the rows are measured by it."""
GIVES_UP_SECONDS = 900.0

_numbers = iter(range(10**9))
_lock = Lock()


def next_key() -> str:
    with _lock:
        return f"sent-{next(_numbers)}"


def body_of(key: str, said: bytes = b"Tea is ready.") -> bytes:
    """A small stream that is like no other."""
    head = b'data: {"id":"%s","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,'
    delta = b'"delta":{"role":"assistant","content":"%s"},"finish_reason":null}]}\n\n'
    end = b'"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    first = head % key.encode()
    return first + delta % said + first + end


class Sender:
    """``ports`` are the webs; one that takes no connection is passed over for the next."""

    def __init__(self, key: str, ports: list[int], ledger: Ledger) -> None:
        self.ports = ports
        self.ledger = ledger
        self.statuses: Counter[int] = Counter()
        self.lost_answers = 0
        """Connections that ended without one; the body is sent again."""
        self.wrong: list[str] = []
        """Answers that no contract has: they fail the row."""
        self._key = key
        self._given_up = Event()

    @contextmanager
    def steadily(self, per_second: float, threads: int = THREADS) -> Iterator[None]:
        stopped = Event()
        arguments = (threads / per_second, stopped)
        senders = [Thread(target=self._keep_sending, args=arguments) for _ in range(threads)]
        with _Joined(senders, stopped, self._given_up):
            yield

    def send(self, key: str | None = None, body: bytes | None = None, poison: bool = False) -> None:
        """One capture, until it is acknowledged."""
        key = key or next_key()
        body = body_of(key) if body is None else body
        self.ledger.sent(key, body, poison)
        deadline = time.monotonic() + GIVES_UP_SECONDS
        while time.monotonic() < deadline and not self._given_up.is_set():
            try:
                answer = self.post(body, key)
            except (OSError, http.client.HTTPException):
                self.lost_answers += 1
                time.sleep(AGAIN_SECONDS)
                continue
            if self._heard(key, answer):
                return
        self.wrong.append(f"{key} was never acknowledged")

    def post(self, body: bytes, idempotency_key: str | None = None) -> Answer:
        headers = {"Content-Type": "text/event-stream", **bearer(self._key)}
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        return self.ask("POST", "/api/v1/captures/", body, headers)

    def get(self, path: str, key: str | None = None) -> Answer:
        return self.ask("GET", path, None, bearer(key or self._key))

    def ask(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Answer:
        client = self._connected()
        try:
            client.request(method, path, body, headers)
            response = client.getresponse()
            named = {name.title(): value for name, value in response.headers.items()}
            return Answer(response.status, named, response.read())
        finally:
            client.close()

    def _connected(self) -> http.client.HTTPConnection:
        for port in self.ports[:-1]:
            client = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_SECONDS)
            try:
                client.connect()
                return client
            except ConnectionRefusedError:
                continue
        client = http.client.HTTPConnection("127.0.0.1", self.ports[-1], timeout=ANSWER_SECONDS)
        client.connect()
        return client

    def _heard(self, key: str, answer: Answer) -> bool:
        """Whether that was the last word."""
        self.statuses[answer.status] += 1
        if answer.status in (200, 202):
            self.ledger.acknowledge(key, str(answer.json["id"]))
            return True
        if answer.status == 503 and "Retry-After" in answer.headers:
            time.sleep(min(float(answer.headers["Retry-After"]), LONGEST_REST_SECONDS))
            return False
        self.wrong.append(f"{answer.status} {answer.body[:200]!r}")
        return True

    def _keep_sending(self, rest: float, stopped: Event) -> None:
        while not stopped.wait(rest):
            try:
                self.send()
            except (json.JSONDecodeError, KeyError, AssertionError) as error:
                self.wrong.append(f"an answer that cannot be read: {error!r}")


def bearer_line(sender: Sender) -> str:
    return f"Authorization: {bearer(sender._key)['Authorization']}"


class _Joined:
    """Threads that are through when the block is; an error in it makes them give up."""

    def __init__(self, threads: list[Thread], stopped: Event, given_up: Event) -> None:
        self._threads, self._stopped, self._given_up = threads, stopped, given_up

    def __enter__(self) -> None:
        for thread in self._threads:
            thread.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stopped.set()
        if error is not None:
            self._given_up.set()
        for thread in self._threads:
            thread.join()
