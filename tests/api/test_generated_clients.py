"""Clients that others' generators make of the description send, list, page and show."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from api.docs import document
from tests.api.serving import Server

PYTHON_PROGRAM = """
import importlib, io, pkgutil, sys
import generated
from generated import AuthenticatedClient
from generated.api.captures import create_capture, create_capture_batch, list_captures, show_capture
from generated.models import Envelope, ResponseMember
from generated.types import File

for module in pkgutil.walk_packages(generated.__path__, "generated."):
    importlib.import_module(module.name)

client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])
body = b'{"object": "chat.completion", "model": "m", "choices": []}'
sent = create_capture.sync(client=client, body=File(io.BytesIO(body)), wait=10, tag=["generated"])
told = Envelope(response=ResponseMember(status=200, body=body.decode()), tags=["generated"])
create_capture.sync(client=client, body=told, wait=10)
lines = File(io.BytesIO(b'{"response": {"status": null, "body": "{}"}}\\n'))
batch = create_capture_batch.sync_detailed(client=client, body=lines)
assert b'"state":"received"' in batch.content, batch
first = list_captures.sync(client=client, limit=1, tag=["generated"])
second = list_captures.sync(client=client, limit=1, tag=["generated"], cursor=first.next_cursor)
shown = show_capture.sync(sent.id, client=client)
print(len(first.captures), second.captures[0].id == sent.id, second.next_cursor, shown.analysis.model)
"""

TYPED_PACKAGES = (
    "openapi-typescript@7.13.0",
    "openapi-fetch@0.17.0",
    "typescript@5.9.3",
    "@types/node@20",
)
TYPED_PROGRAM = """
import createClient from "openapi-fetch";
import type { paths } from "./generated.js";

const [, , baseUrl, key] = process.argv;
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });
const tag = ["typed"];
const envelope = { response: { status: 200, body: '{"object": "chat.completion", "model": "m", "choices": []}' } };
async function send() {
  const { data } = await client.POST("/api/v1/captures/", {
    params: { query: { wait: 10, tag } },
    headers: { "Content-Type": "application/vnd.inspector.exchange+json" },
    body: envelope,
  });
  return data!.id;
}
async function page(cursor?: string) {
  const { data } = await client.GET("/api/v1/captures/", { params: { query: { limit: 1, tag, cursor } } });
  return data!;
}
const sent = await send();
await send();
const first = await page();
const second = await page(first.next_cursor!);
const { data: shown } = await client.GET("/api/v1/captures/{capture_id}/", { params: { path: { capture_id: sent } } });
console.log(first.captures.length, second.captures[0]!.id === sent, second.next_cursor, shown!.analysis!.model);
"""
COMPILER = (
    "--strict",
    "--target",
    "es2022",
    "--module",
    "nodenext",
    "--skipLibCheck",
    "--types",
    "node",
)


def arrays(schema: Any, where: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every array of the description, with its place."""
    if isinstance(schema, dict):
        if schema.get("type") == "array":
            yield where, schema
        schema = schema.items()
    else:
        schema = enumerate(schema) if isinstance(schema, list) else ()
    for name, each in schema:
        yield from arrays(each, f"{where}/{name}")


def test_every_array_has_items_and_no_generator_finds_a_false() -> None:
    found = dict(arrays(document()))
    assert [where for where, each in found.items() if not isinstance(each.get("items"), dict)] == []
    headers = "/components/schemas/ExchangeRequest/properties/headers/anyOf/0/items"
    assert found[headers]["items"] == {"type": "string"}
    assert (found[headers]["minItems"], found[headers]["maxItems"]) == (2, 2)


def run(*command: str | Path, cwd: Path, **variables: str) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
    return done.stdout


@pytest.mark.thorough
@pytest.mark.skipif(
    find_spec("openapi_python_client") is None, reason="needs openapi-python-client"
)
def test_a_python_client_is_whole_and_works(server: Server, tmp_path: Path) -> None:
    schema = f"{server.url}/api/schema/"
    words = ("generate", "--url", schema, "--meta", "none", "--output-path", "generated")
    # It formats what it made with the ruff of its own environment.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    said = run(sys.executable, "-m", "openapi_python_client", *words, cwd=tmp_path, PATH=path)
    assert "will not be generated" not in said
    # These media types it does not know: the same operations take JSON or bytes, too.
    assert set(re.findall(r"application/x-\w+", said)) == {
        "application/x-ndjson",
        "application/x-protobuf",
    }
    called = run(sys.executable, "-c", PYTHON_PROGRAM, server.url, server.key, cwd=tmp_path)
    assert called == "1 True None m\n"


@pytest.mark.thorough
def test_a_typescript_client_is_whole_and_works(server: Server, tmp_path: Path) -> None:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip("needs Node and npm")
    Path(tmp_path, "package.json").write_text('{"type": "module"}')
    Path(tmp_path, "program.ts").write_text(TYPED_PROGRAM)
    # Not among the pinned tools: it wants another TypeScript than checks the scripts.
    fetched = subprocess.run(
        [npm, "install", "--no-audit", "--no-fund", *TYPED_PACKAGES],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    if fetched.returncode:
        pytest.skip(f"npm cannot fetch openapi-typescript: {fetched.stderr[-200:]}")
    tools = tmp_path / "node_modules"
    made = (
        tools / "openapi-typescript/bin/cli.js",
        f"{server.url}/api/schema/",
        *("-o", "generated.ts"),
        # What has a default may be left out of what is sent.
        *("--default-non-nullable", "false"),
    )
    run(node, *made, cwd=tmp_path)
    run(node, tools / "typescript/bin/tsc", *COMPILER, "program.ts", cwd=tmp_path)
    called = run(node, "program.js", server.url, server.key, cwd=tmp_path)
    assert called == "1 true null m\n"
