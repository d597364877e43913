"""Python's clients, each reading streams through: ``through.py CLIENT``. A line of JSON on standard
input asks for one, ``{"root", "key", "prompt", "timeout", "retries"}``; a line on standard output
tells what the client made of it. Run by bench/replay.py in the environment of python.lock.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["LANGSMITH_TRACING"] = "false"

HANGS_SECONDS = 12.0
FIRST_SECONDS = 120.0
"""For the first stream alone: imports take their time, and are no part of a measurement."""
Job = dict[str, Any]


def openai(job: Job) -> Iterator[str]:
    from openai import OpenAI

    client = OpenAI(base_url=f"{job['root']}/v1", api_key=job["key"], **given(job))
    create: Any = client.chat.completions.create
    for chunk in create(model="m-1", messages=messages(job), stream=True):
        yield first_choice(chunk)


def openai_responses(job: Job) -> Iterator[str]:
    from openai import OpenAI

    client = OpenAI(base_url=f"{job['root']}/v1", api_key=job["key"], **given(job))
    create: Any = client.responses.create
    for event in create(model="m-1", input=job["prompt"], stream=True):
        if event.type == "response.output_text.delta":
            yield event.delta


def anthropic(job: Job) -> Iterator[str]:
    from anthropic import Anthropic

    client = Anthropic(base_url=job["root"], api_key=job["key"], **given(job))
    asked: Any = {"model": "m-1", "max_tokens": 99, "messages": messages(job)}
    with client.messages.stream(**asked) as stream:
        yield from stream.text_stream


def google_genai(job: Job) -> Iterator[str]:
    from google import genai
    from google.genai import types

    options: dict[str, Any] = {"base_url": job["root"], "timeout": int(job["timeout"] * 1000)}
    if job["retries"] is not None:
        options["retry_options"] = types.HttpRetryOptions(attempts=job["retries"] + 1)
    client = genai.Client(
        api_key=job["key"], http_options=types.HttpOptions(**options), vertexai=False
    )
    for chunk in client.models.generate_content_stream(model="m-1", contents=job["prompt"]):
        yield chunk.text or ""


def litellm(job: Job) -> Iterator[str]:
    import litellm as library

    retries = {} if job["retries"] is None else {"num_retries": 0, "max_retries": job["retries"]}
    stream: Any = library.completion(
        model="openai/m-1",
        api_base=f"{job['root']}/v1",
        api_key=job["key"],
        messages=messages(job),
        stream=True,
        timeout=job["timeout"],
        **retries,
    )
    for chunk in stream:
        yield first_choice(chunk)


def langchain_openai(job: Job) -> Iterator[str]:
    from langchain_openai import ChatOpenAI

    retries = {} if job["retries"] is None else {"max_retries": job["retries"]}
    model: Any = ChatOpenAI(
        model="m-1",
        base_url=f"{job['root']}/v1",
        api_key=job["key"],  # type: ignore[arg-type]
        timeout=job["timeout"],
        **retries,
    )
    for chunk in model.stream(job["prompt"]):
        yield chunk.content if isinstance(chunk.content, str) else ""


CLIENTS: dict[str, Callable[[Job], Iterator[str]]] = {
    "openai": openai,
    "openai_responses": openai_responses,
    "anthropic": anthropic,
    "google_genai": google_genai,
    "litellm": litellm,
    "langchain_openai": langchain_openai,
}


def first_choice(chunk: Any) -> str:
    return next((one.delta.content or "" for one in chunk.choices or () if one.index == 0), "")


def messages(job: Job) -> list[dict[str, str]]:
    return [{"role": "user", "content": job["prompt"]}]


def given(job: Job) -> dict[str, Any]:
    retries = {} if job["retries"] is None else {"max_retries": job["retries"]}
    return {"timeout": job["timeout"], **retries}


def read(client: str, job: Job, told: Job) -> None:
    try:
        for piece in CLIENTS[client](job):
            told["text"] += piece
        told["ended"] = True
    except Exception as error:  # noqa: BLE001 - which one a client raises is the result
        told["error"] = type(error).__name__
        told["message"] = str(error)[:300]


def main() -> None:
    (client,) = sys.argv[1:]
    # litellm tells things on standard output; that is where the answers go.
    answers, sys.stdout = sys.stdout, sys.stderr
    for number, line in enumerate(sys.stdin):
        told: Job = {"text": ""}
        began = time.monotonic()
        thread = threading.Thread(target=read, args=(client, json.loads(line), told), daemon=True)
        thread.start()
        thread.join(HANGS_SECONDS if number else FIRST_SECONDS)
        told["hangs"] = thread.is_alive()
        told["seconds"] = time.monotonic() - began
        print(json.dumps(told), file=answers, flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
