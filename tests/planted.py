"""Credentials made by chance and put wherever one was ever seen, to be looked for afterwards."""

import base64
import gzip
import json
import random
import string
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from tests.archive.samples import WHOLE

WORDS = string.ascii_letters + string.digits

HEADERS = tuple(
    """
    Authorization Proxy-Authorization API-Key x-api-key X-Goog-Api-Key x_api_key Cookie X-Auth-Token
    X-Amz-Security-Token X-Session-Id X-Client-Secret x-jwt-assertion x-bearer x-pwd x-pass x-sig
    x-sas x-hmac x-otp x-pin x-tok X-Api-Cred x-forwarded-client-cert x-dsn x-webhook x-my-authority
    access-control-request-token x-ratelimit-secret-token X-Custom X-Team X-Upstream x-litellm-api
    helicone-auth cf-access-client-secret ocp-apim-subscription-key x-portkey-virtual x-goog-iam
    x-vault x-csrf-token x-nobody-knows-this
    """.split()  # noqa: SIM905
)
RESPONSE_HEADERS = tuple(
    """
    Set-Cookie X-Auth-Token x-amz-security-token x-session-id X-Api-Cred x-sig x-jwt x-otp
    authentication-info x-ratelimit-secret-token x-refreshed-token x-webhook-url x-signature x-dsn
    """.split()  # noqa: SIM905
)
ADDRESSES = (
    "https://h/v1?key={}", "https://h/v1?n=1&api_key={}&m=2", "https://h/v1?token={}",
    "https://h/v1?access_token={}", "https://h/v1?sig={}", "https://h/v1?code={}",
    "https://h/v1?pwd={}", "https://h/v1?jwt={}", "https://h/v1#access_token={}",
    "https://h/v1;token={}", "https://h/v1;token={}/chat?n=1", "https://h/v1?n=1;token={}",
    "https://h/v1%3Fkey={}", "https://h/v1?%6bey={}", "https://h/v1?%256bey={}",
    "https://h/v1?url=https%3A%2F%2Fx%2F%3Fapi_key%3D{}", "https://h/v1?u=https://a:{}@b/",
    "https://h/v1?u=https%3A%2F%2Fa%3A{}%40b%2F", "https://a:{}@h/v1", "https://{}@h/v1",
    "a:{}@h/v1", "//a:{}@h/v1", "https:/a:{}@h/v1", "https:\\\\a:{}@h/v1", "https:a:{}@h/v1",
    "https://a:b/{}@h/v1", "https://h/v1?X-Amz-Signature={}", "https://h/v1?subscription-key={}",
    "https://h/v1?a=b?key={}", "https://h/v1?apikey@{}", "https://h/v1?n=1&key:{}",
    "https://h/v1?k%00ey={}", "https://h/v1?ｋｅｙ={}", "https://h/v1?k\u200bey={}",
    "https://h/v1?n=1&%EF%BD%8B%EF%BD%85%EF%BD%99={}",
)  # fmt: skip
CARRIERS = ("Referer", "x-original-url", "http-referer", ":path")
RESPONSE_CARRIERS = ("Location", "Link", "content-location", "x-next")
METADATA = tuple(
    """
    api_key apiKey Authorization access_token refreshToken client_secret password passwd secret
    auth_token private_key cookie credentials jwt bearer webhook signature db_password dsn x-api-key
    """.split()  # noqa: SIM905
)
MEMBERS = tuple(
    """
    api_key apiKey API-KEY x-api-key authorization Authorization access_token refresh_token id_token
    auth_token client_secret client_assertion password passwd pwd passphrase secret secret_key
    secret_access_key aws_secret_access_key private_key session_token cookie set-cookie credentials
    subscription_key openai_api_key db_password connection_string authorization_token
    """.split()  # noqa: SIM905
)
SPELLINGS = ("plain", "slash", "escape", "address", "gzip", "cut", "stream")


@dataclass(slots=True)
class Planted:
    """``envelopes`` and ``hars`` as they are sent, ``secrets`` with where each was put."""

    chance: random.Random = field(default_factory=lambda: random.Random(20261122))
    secrets: dict[str, str] = field(default_factory=dict)
    envelopes: list[dict[str, Any]] = field(default_factory=list)
    hars: list[dict[str, Any]] = field(default_factory=list)

    def secret(self, where: str, before: str = "", length: int = 28) -> str:
        """Whole, with what its vendor puts before it; looked for is what chance made of it."""
        while True:
            made = "".join(self.chance.choices(WORDS, k=length))
            if any(s.isdigit() for s in made[:16]) and any(s.isalpha() for s in made[:16]):
                self.secrets[made] = where
                return before + made

    def send(self, request: Any, response: Any = None, **more: Any) -> None:
        response = {"status": 200, "body": WHOLE.decode(), **(response or {})}
        self.envelopes.append(
            {"request": {"method": "POST", **request}, "response": response, **more}
        )


KINDS = {
    "sk-": 48, "sk-ant-api03-": 60, "sk-proj-": 60, "sk-or-v1-": 64, "csk-": 40, "AIza": 35,
    "ya29.": 60, "ghp_": 36, "gho_": 36, "ghs_": 36, "github_pat_": 60, "glpat-": 20,
    "xoxb-": 40, "xoxp-": 40, "xapp-": 40, "hf_": 34, "gsk_": 52, "r8_": 37, "fw_": 24,
    "npm_": 36, "pplx-": 48, "xai-": 60, "tvly-": 32, "nvapi-": 64, "lsv2_pt_": 40, "ri_": 43,
    "sk_live_": 24, "sk_": 48, "sess-": 40, "glrt-": 24, "e2b_": 40, "ATATT3": 180, "dp.pt.": 43,
    "rnd_": 32, "1//0": 60, "sb_secret_": 32, "secret_": 43, "Bearer ": 40, "Basic ": 40, "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.": 43,
}  # fmt: skip
"""Beginning of each, and how many characters follow."""


def planted() -> Planted:
    made = Planted()
    for plant in (_headers, _addresses, _kinds, _metadata, _bodies, _sockets, _repeated, _hars):
        plant(made)
    return made


def _headers(made: Planted) -> None:
    asked = [[name, made.secret(f"request header {name}")] for name in HEADERS]
    asked.append(["X-Custom", made.secret("value of a header", "Bearer ")])
    asked.append(
        ["user-agent", made.secret("value of a kept header", "tool Authorization: Basic ")]
    )
    told = [[name, made.secret(f"response header {name}")] for name in RESPONSE_HEADERS]
    told.append(["x-refreshed", made.secret("value of a response header", "Bearer ")])
    told.append(["x-upstream", made.secret("pair in a response header", "api_key=")])
    made.send({"url": "https://h/v1", "headers": asked}, {"headers": told})


def _addresses(made: Planted) -> None:
    for form in ADDRESSES:
        asked = [[name, _put(made, form, f"{form} in {name}")] for name in CARRIERS]
        told = [[name, _put(made, form, f"{form} in {name}")] for name in RESPONSE_CARRIERS]
        url = _put(made, form, f"{form} as address")
        base = {"api_base": _put(made, form, f"{form} in metadata")}
        made.send({"url": url, "headers": asked}, {"headers": told}, metadata=base)


def _put(made: Planted, form: str, where: str) -> str:
    return form.format(made.secret(where))


def _kinds(made: Planted) -> None:
    for before, length in KINDS.items():
        body = {
            "messages": [
                {
                    "role": "user",
                    "content": "it is " + made.secret(f"{before} in a prompt", before, length),
                }
            ]
        }
        made.send(
            {
                "url": "https://h/v1?q=" + made.secret(f"{before} in an address", before, length).replace(" ", "%20"),
                "headers": [["user-agent", made.secret(f"{before} in a kept header", before, length)]],
                "body": json.dumps(body),
            },
            {"headers": [["x-hint", made.secret(f"{before} in a response header", before, length)]]},
            metadata={"remark": ["so", {"deep": made.secret(f"{before} in metadata", before, length)}]},
        )  # fmt: skip


def _metadata(made: Planted) -> None:
    flat = {name: made.secret(f"metadata.{name}") for name in METADATA}
    deep = {"of": [{"headers": {name: [made.secret(f"metadata … {name}")] for name in METADATA}}]}
    made.send({"url": "/v1"}, metadata={**flat, **deep})


def _bodies(made: Planted) -> None:
    flat = {name: made.secret(f"member {name}") for name in MEMBERS}
    inner = json.dumps(
        {name: made.secret(f"member {name} in arguments") for name in MEMBERS}, indent=1
    )
    tool = {
        "type": "mcp",
        "server_url": "https://h/sse?token=" + made.secret("server_url"),
        "authorization": made.secret("tools[].authorization"),
        "headers": {name: made.secret(f"tools[].headers.{name}") for name in HEADERS},
    }
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": inner}}
    pem = "-----BEGIN PRIVATE KEY-----\n{}\n{}\n-----END PRIVATE KEY-----\n"
    key = pem.format(
        made.secret("first line of a key", length=64), made.secret("second line", length=64)
    )
    body = {
        **flat,
        "tools": [tool],
        "messages": [{"role": "assistant", "tool_calls": [call], "content": key}],
    }
    made.send({"url": "/v1", "body": json.dumps(body)})
    broken = json.dumps({name: made.secret(f"member {name} of a broken body") for name in MEMBERS})
    made.send({"url": "/v1", "body": broken[:-2]})


def _sockets(made: Planted) -> None:
    for form in (
        "realtime, openai-insecure-api-key.{}, openai-beta.realtime-v1",
        "bearer.{}",
        "v1, {}",
        "base64url.bearer.authorization.k8s.io.{}",
    ):
        offered = _put(made, form, f"sec-websocket-protocol: {form}")
        made.send({"url": "wss://h/v1/realtime", "headers": [["Sec-WebSocket-Protocol", offered]]})


def _repeated(made: Planted) -> None:
    for name, before in (("Authorization", "Bearer "), ("x-api-key", ""), ("x-goog-api-key", "")):
        for spelling in SPELLINGS:
            secret = made.secret(f"{name} repeated: {spelling}")
            response = _repeating(secret, spelling)
            echo = [["x-echo", f"for {secret}"]]
            body = json.dumps({"user": secret})
            made.send(
                {"url": "/v1", "headers": [[name, before + secret]], "body": body},
                {"headers": echo, **response},
                metadata={"copy": secret},
            )


def _repeating(secret: str, spelling: str) -> dict[str, Any]:
    spelt = {
        "slash": secret,
        "escape": "".join(
            f"\\u{ord(sign):04x}" if n % 5 == 0 else sign for n, sign in enumerate(secret)
        ),
        "address": quote(secret),
    }.get(spelling, secret)
    body = f'{{"error":{{"message":"wrong key {spelt} given: {spelt}"}}}}'.encode()
    if spelling == "gzip":
        return {"body_b64": base64.b64encode(gzip.compress(body)).decode(), "body": None}
    if spelling in ("cut", "stream"):
        body = b"data: " + body + b"\n\n" if spelling == "stream" else body
        reads = [body[at : at + 7] for at in range(0, len(body), 7)]
        told = [{"at_us": n, "data": read.decode()} for n, read in enumerate(reads)]
        return {"reads": told, "body": None}
    return {"body": body.decode()}


def _hars(made: Planted) -> None:
    def named(where: str, names: tuple[str, ...]) -> list[dict[str, str]]:
        return [{"name": name, "value": made.secret(f"HAR {where} {name}")} for name in names]

    for form in ADDRESSES[:12]:
        path = {"name": ":path", "value": _put(made, form, f"HAR :path {form}")}
        params = named("param", ("api_key",))
        request = {
            "method": "POST",
            "url": _put(made, form, f"HAR url {form}"),
            "headers": [path, *named("request", HEADERS[:6])],
            "cookies": named("cookie", ("sid",)),
            "queryString": named("query", ("key",)),
            "postData": {
                "mimeType": "application/json",
                "text": json.dumps({"api_key": made.secret("HAR postData")}),
                "params": params,
            },
        }
        response = {
            "status": 200,
            "headers": named("response", RESPONSE_HEADERS[:3]),
            "cookies": named("response cookie", ("sid",)),
            "redirectURL": _put(made, form, f"HAR redirectURL {form}"),
            "content": {"mimeType": "application/json", "text": WHOLE.decode()},
        }
        made.hars.append({"log": {"entries": [{"request": request, "response": response}]}})


def lines(made: Planted) -> Iterator[bytes]:
    """Envelopes as lines of a batch; what is None there is left out."""
    for envelope in made.envelopes:
        response = {n: v for n, v in envelope["response"].items() if v is not None}
        yield json.dumps({**envelope, "response": response}).encode() + b"\n"
