"""Credentials of every shape, made by chance, in every place where a call or its answer has one."""

import base64
import gzip
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tests.faults.proxied.upstream import EVENTS, JSON, UpstreamCall
from tests.planted import KINDS, WORDS

SEED = 20261124
MORE_SHAPES = {
    "sk-svcacct-": 60, "sk-ant-admin01-": 60, "ghu_": 36, "ghr_": 36, "rk_live_": 24, "sk_test_": 24,
    "lsv2_sk_": 40, "tgp_v1_": 43, "dop_v1_": 64, "pypi-": 60, "xoxe-": 40, "": 40,
}  # fmt: skip
SHAPES = {kind: length for kind, length in KINDS.items() if " " not in kind} | MORE_SHAPES
"""Beginning of each, and how many characters follow; ``Bearer`` and ``Basic`` are places here. The
one without a beginning is of no vendor: only its place tells what it is.
"""
PIECE_BYTES = 7


@dataclass(slots=True)
class SecretCall:
    """Call and answer, with one credential in them."""

    query: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b'{"model": "m", "messages": []}'
    response_headers: tuple[str, ...] = ()
    answer: bytes = b'{"object": "chat.completion", "choices": []}'
    is_cut: bool = False
    """The answer comes in pieces so small that the credential is in several."""
    content_type: str = JSON

    def play(self, call: UpstreamCall) -> None:
        call.head("200 OK", f"Content-Type: {self.content_type}", *self.response_headers)
        step = PIECE_BYTES if self.is_cut else len(self.answer)
        for at in range(0, len(self.answer), step):
            call.say(self.answer[at : at + step])
        call.finish()


Plant = Callable[[str], SecretCall]


def header(name: str, before: str = "") -> Plant:
    return lambda secret: SecretCall(headers={name: before + secret})


def basic(secret: str) -> SecretCall:
    """The coded pair is searched, too: see ``spellings``."""
    return SecretCall(headers={"Authorization": f"Basic {coded(secret)}"})


def coded(secret: str) -> str:
    return base64.b64encode(f"user:{secret}".encode()).decode()


def query(name: str) -> Plant:
    return lambda secret: SecretCall(query=f"?api-version=1&{name}={secret}")


def member(secret: str) -> SecretCall:
    return SecretCall(body=json.dumps({"model": "m", "messages": [], "api_key": secret}).encode())


def multipart(secret: str) -> SecretCall:
    part = f'--b\r\nContent-Disposition: form-data; name="api_key"\r\n\r\n{secret}\r\n--b--\r\n'
    kind = "multipart/form-data; boundary=b"
    return SecretCall(headers={"Content-Type": kind}, body=part.encode())


def set_cookie(secret: str) -> SecretCall:
    return SecretCall(response_headers=(f"Set-Cookie: session={secret}; HttpOnly",))


def complaint(secret: str) -> bytes:
    return json.dumps({"error": {"message": f"Incorrect key provided: {secret}."}}).encode()


def echoed(secret: str) -> SecretCall:
    headers = {"Authorization": f"Bearer {secret}"}
    return SecretCall(headers=headers, answer=complaint(secret))


def echoed_across_reads(secret: str) -> SecretCall:
    answer = b"data: " + complaint(secret) + b"\n\n"
    headers = {"x-api-key": secret}
    return SecretCall(headers=headers, answer=answer, is_cut=True, content_type=EVENTS)


def echoed_compressed(secret: str) -> SecretCall:
    coding = ("Content-Encoding: gzip",)
    answer = gzip.compress(complaint(secret))
    headers = {"api-key": secret}
    return SecretCall(headers=headers, answer=answer, response_headers=coding, is_cut=True)


PLACES: dict[str, Plant] = {
    "Authorization: Bearer": header("Authorization", "Bearer "),
    "Authorization: Basic": basic,
    "api-key": header("api-key"),
    "x-api-key": header("x-api-key"),
    "x-goog-api-key": header("x-goog-api-key"),
    "?key=": query("key"),
    "?api-key=": query("api-key"),
    "?access_token=": query("access_token"),
    "cookie": header("Cookie", "session="),
    "openai-organization": header("OpenAI-Organization"),
    "member of the body": member,
    "multipart": multipart,
    "response set-cookie": set_cookie,
    "error that repeats the key": echoed,
    "error that repeats it across reads": echoed_across_reads,
    "compressed error that repeats it": echoed_compressed,
}
NAMES_NO_CREDENTIAL = ("openai-organization",)
"""There a credential is known by its shape alone."""
NEVER_PASSES = ("cookie", "response set-cookie")
"""To the other side: cookies are nobody's business but the browser's."""


@dataclass(frozen=True, slots=True)
class PlantedCall:
    shape: str
    place: str
    secret: str
    """Random part, without what its vendor puts before it: this is searched."""
    call: SecretCall

    def spellings(self) -> Iterator[str]:
        yield self.secret
        if self.place == "Authorization: Basic":
            yield coded(self.shape + self.secret)


def planted_calls() -> Iterator[PlantedCall]:
    chance = random.Random(SEED)
    for shape, length in SHAPES.items():
        for place, plant in PLACES.items():
            if not shape and place in NAMES_NO_CREDENTIAL:
                continue
            secret = "".join(chance.choices(WORDS, k=length))
            yield PlantedCall(shape, place, secret, plant(shape + secret))
