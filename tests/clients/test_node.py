"""The package for Node against the product: its lists, its files, and a call that is inspected."""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any

import pytest
from response_inspector import credentials, recorder

from development import node
from development.runs import ROOT
from tests.archive.samples import STREAM, inspect_all
from tests.http_server import provider_of
from tests.people import Person

PACKAGE = ROOT / "clients" / "node"
NODE = node.find()
needs_node = pytest.mark.skipif(NODE is None, reason=node.MISSING)
PROGRAM = f"""
import {{ capture, counts, flush, tagged }} from "{(PACKAGE / "src" / "index.js").as_uri()}";
import {{ limits }} from "{(PACKAGE / "src" / "limits.js").as_uri()}";
const fetch = capture(undefined, {{ tags: ["shop"] }});
const headers = {{ authorization: "Bearer sk-proj-0123456789abcdefABCDEF" }};
const body = JSON.stringify({{ model: "m-1", stream: true }});
await tagged({{ user: "42" }}, async () => {{
  const answer = await fetch(process.argv[1], {{ method: "POST", headers, body }});
  for await (const _ of answer.body);
}});
// The machine may be slow.
limits.answerMilliseconds = 600_000;
await flush(600_000);
console.log(JSON.stringify(counts()));
"""


def names_in(constant: str) -> set[str]:
    text = (PACKAGE / "src" / "credentials.js").read_text()
    found = re.search(rf"\b{constant} = names\([`\"](.*?)[`\"]\)", text, re.DOTALL)
    assert found
    return set(found[1].split())


def test_the_lists_of_harmless_names_are_those_of_the_package_for_python() -> None:
    assert names_in("KEPT_HEADERS") == credentials.KEPT_HEADERS
    assert names_in("KEPT_PARAMETERS") == credentials.KEPT_PARAMETERS
    assert names_in("HARMLESS") == credentials._HARMLESS


def test_the_patterns_are_those_of_the_package_for_python() -> None:
    scripts = (PACKAGE / "src" / "credentials.js").read_text()
    for pattern in (credentials._CREDENTIAL, credentials._COUNTED, credentials._KEY):
        assert f"/{pattern.pattern}/" in scripts.replace("\n  ", "")
    completions = recorder._COMPLETION.pattern.replace("\\Z", "$").replace("/", "\\/")
    assert f"/{completions}/" in (PACKAGE / "src" / "recording_fetch.js").read_text()


def test_the_package_needs_nothing_and_holds_its_sources_alone() -> None:
    package = json.loads((PACKAGE / "package.json").read_text())
    assert not {"dependencies", "peerDependencies", "scripts"} & package.keys()
    assert package["files"] == ["src", "index.d.ts", "README.md"]
    imported = {
        name
        for path in (PACKAGE / "src").glob("*.js")
        for name in re.findall(r"^(?:import|export) .*?from \"(.+?)\";$", path.read_text(), re.M)
    }
    assert all(name.startswith(("node:", "./")) for name in imported)


@needs_node
@pytest.mark.django_db(transaction=True)
def test_a_call_of_a_program_is_captured_with_its_times_and_inspected(
    live_server: Any, owner: Person
) -> None:
    with provider_of(STREAM) as origin:
        done = subprocess.run(
            [str(NODE), "--input-type=module", "-e", PROGRAM, f"{origin}/v1/chat/completions"],
            env={"INSPECTOR_URL": live_server.url, "INSPECTOR_KEY": owner.key},
            capture_output=True,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["sent"] == 1
    inspect_all()
    (row,) = owner.get("/api/v1/captures/").json["captures"]
    found = owner.get(f"/api/v1/captures/{row['id']}/").json
    assert owner.get(f"/api/v1/captures/{row['id']}/raw/").body == STREAM
    assert (found["analysis"]["verdict"], found["analysis"]["measured_by"]) == (
        "complete",
        "client",
    )
    assert found["analysis"]["timeline"]["clock"] == "recorded"
    assert (found["tags"], found["exchange"]["metadata"]) == (["shop"], {"user": "42"})
    assert ["authorization", "[removed]"] in found["exchange"]["request"]["headers"]
