"""Python's clients, each in every situation. Run by bench/clients.py in the environment of
python.lock: ``calls.py CLIENT BASE`` prints a line of JSON for each situation.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from typing import Any

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["LANGSMITH_TRACING"] = "false"

KEY = os.environ["CALLER_KEY"]
ASKED = [{"role": "user", "content": "Tee?"}]
PARAMETERS = {"type": "object", "properties": {"minutes": {"type": "integer"}}}
FUNCTION = {"name": "brew", "description": "Brews tea.", "parameters": PARAMETERS}
TOOL = {"type": "function", "function": FUNCTION}
WHOLE, STREAMED, CANCELLED, CUT = "whole", "streamed", "cancelled", "cut"
ERROR, TOOLS = "error", "tools"
Told = dict[str, Any]
Call = Callable[[str, str], Told]


def captured(client: Any) -> Any:
    """With the client package, where the caller is given an address to send captures to."""
    if "INSPECTOR_URL" not in os.environ:
        return client
    from response_inspector import capture

    return capture(client)


def chat_pieces(stream: Any, situation: str) -> Told:
    """Of chunks as the OpenAI SDK and litellm have them."""
    text, name, arguments = "", "", ""
    for chunk in stream:
        for choice in chunk.choices[:1]:
            text += choice.delta.content or ""
            for call in choice.delta.tool_calls or ():
                name += call.function.name or ""
                arguments += call.function.arguments or ""
        if situation == CANCELLED and text:
            break
    return {"text": text, "tool": name, "arguments": arguments}


def openai(base: str, situation: str) -> Told:
    from openai import OpenAI

    client = captured(OpenAI(base_url=f"{base}/v1", api_key=KEY, max_retries=0))
    create: Any = client.chat.completions.create
    if situation in (WHOLE, ERROR):
        return {"text": create(model="m-1", messages=ASKED).choices[0].message.content}
    tools = {"tools": [TOOL]} if situation == TOOLS else {}
    with create(model="m-1", messages=ASKED, stream=True, **tools) as stream:
        return chat_pieces(stream, situation)


def openai_responses(base: str, situation: str) -> Told:
    from openai import OpenAI

    client = captured(OpenAI(base_url=f"{base}/v1", api_key=KEY, max_retries=0))
    create: Any = client.responses.create
    if situation in (WHOLE, ERROR):
        return {"text": create(model="m-1", input="Tee?").output_text}
    tools = {"tools": [{"type": "function", **FUNCTION}]} if situation == TOOLS else {}
    told = {"text": "", "tool": "", "arguments": ""}
    with create(model="m-1", input="Tee?", stream=True, **tools) as stream:
        for event in stream:
            if event.type == "response.output_text.delta":
                told["text"] += event.delta
            if event.type == "response.function_call_arguments.done":
                told |= {"tool": "brew", "arguments": event.arguments}
            if situation == CANCELLED and event.type != "response.created":
                return {"text": "Der "}
    return told


def anthropic(base: str, situation: str) -> Told:
    from anthropic import Anthropic

    client = captured(Anthropic(base_url=base, api_key=KEY, max_retries=0))
    asked: Any = {"model": "m-1", "max_tokens": 99, "messages": ASKED}
    if situation in (WHOLE, ERROR):
        return {"text": client.messages.create(**asked).content[0].text}  # type: ignore[union-attr]
    if situation == TOOLS:
        asked["tools"] = [{"name": "brew", "input_schema": PARAMETERS}]
    with client.messages.stream(**asked) as stream:
        if situation == CANCELLED:
            return {"text": next(stream.text_stream)}
        blocks = stream.get_final_message().content
    if situation == TOOLS:
        return {"tool": blocks[0].name, "arguments": json.dumps(blocks[0].input)}  # type: ignore[union-attr]
    return {"text": blocks[0].text}  # type: ignore[union-attr]


def google_genai(base: str, situation: str) -> Told:
    from google import genai
    from google.genai import types

    options = types.HttpOptions(base_url=base, retry_options=types.HttpRetryOptions(attempts=1))
    client = captured(genai.Client(api_key=KEY, http_options=options, vertexai=False))
    asked: Any = {"model": "m-1", "contents": "Tee?"}
    if situation in (WHOLE, ERROR):
        return {"text": client.models.generate_content(**asked).text}
    if situation == TOOLS:
        declared = types.FunctionDeclaration(name="brew", parameters_json_schema=PARAMETERS)
        asked["config"] = {"tools": [types.Tool(function_declarations=[declared])]}
    told = {"text": "", "tool": "", "arguments": ""}
    stream = client.models.generate_content_stream(**asked)
    for chunk in stream:
        for call in chunk.function_calls or ():
            told |= {"tool": call.name, "arguments": json.dumps(call.args)}
        if not chunk.function_calls:
            told["text"] += chunk.text or ""
        if situation == CANCELLED:
            stream.close()
            client.close()
            break
    return told


def litellm(base: str, situation: str) -> Told:
    import litellm as library

    captured(library)
    asked: Any = {
        "model": "openai/m-1",
        "api_base": f"{base}/v1",
        "api_key": KEY,
        "messages": ASKED,
        "num_retries": 0,
        "max_retries": 0,
    }
    if situation in (WHOLE, ERROR):
        return {"text": library.completion(**asked).choices[0].message.content}
    tools = {"tools": [TOOL]} if situation == TOOLS else {}
    stream: Any = library.completion(**asked, stream=True, **tools)
    told = chat_pieces(stream, situation)
    if situation == CANCELLED:
        stream.completion_stream.close()
    return told


def langchain_openai(base: str, situation: str) -> Told:
    from langchain_openai import ChatOpenAI

    model: Any = ChatOpenAI(model="m-1", base_url=f"{base}/v1", api_key=KEY, max_retries=0)  # type: ignore[arg-type]
    captured(model)
    if situation in (WHOLE, ERROR):
        return {"text": model.invoke("Tee?").content}
    if situation == TOOLS:
        model = model.bind_tools([TOOL])
    stream, whole = model.stream("Tee?"), None
    for chunk in stream:
        whole = chunk if whole is None else whole + chunk
        if situation == CANCELLED and whole.content:
            stream.close()
            break
    calls = whole.tool_calls if whole else []
    tool = {"tool": calls[0]["name"], "arguments": json.dumps(calls[0]["args"])} if calls else {}
    return {"text": whole.content if whole else "", **tool}


def openai_async(base: str, situation: str) -> Told:
    from openai import AsyncOpenAI

    async def call() -> Told:
        made = AsyncOpenAI(base_url=f"{base}/v1", api_key=KEY, max_retries=0)
        async with captured(made) as client:
            create: Any = client.chat.completions.create
            if situation in (WHOLE, ERROR):
                answer = await create(model="m-1", messages=ASKED)
                return {"text": answer.choices[0].message.content}
            tools = {"tools": [TOOL]} if situation == TOOLS else {}
            async with await create(model="m-1", messages=ASKED, stream=True, **tools) as stream:
                return await pieces_of(stream, situation)

    return asyncio.run(call())


async def pieces_of(stream: Any, situation: str) -> Told:
    chunks = []
    async for chunk in stream:
        chunks.append(chunk)
        if situation == CANCELLED and chat_pieces(chunks, STREAMED)["text"]:
            break
    return chat_pieces(chunks, situation)


def groq(base: str, situation: str) -> Told:
    from groq import Groq

    client = captured(Groq(base_url=base, api_key=KEY, max_retries=0))
    create: Any = client.chat.completions.create
    if situation in (WHOLE, ERROR):
        return {"text": create(model="m-1", messages=ASKED).choices[0].message.content}
    tools = {"tools": [TOOL]} if situation == TOOLS else {}
    with create(model="m-1", messages=ASKED, stream=True, **tools) as stream:
        return chat_pieces(stream, situation)


def mistral(base: str, situation: str) -> Told:
    from mistralai.client import Mistral

    client = captured(Mistral(server_url=base, api_key=KEY))
    asked: Any = {"model": "m-1", "messages": ASKED}
    if situation in (WHOLE, ERROR):
        return {"text": client.chat.complete(**asked).choices[0].message.content}
    if situation == TOOLS:
        asked["tools"] = [TOOL]
    with client.chat.stream(**asked) as stream:
        return chat_pieces((each.data for each in stream), situation)


CLIENTS: dict[str, Call] = {
    "openai": openai,
    "openai_responses": openai_responses,
    "anthropic": anthropic,
    "google_genai": google_genai,
    "litellm": litellm,
    "langchain_openai": langchain_openai,
    "openai_async": openai_async,
    "groq": groq,
    "mistral": mistral,
}


def outcome(call: Call, base: str, situation: str) -> Told:
    try:
        return call(base, situation)
    except Exception as error:  # noqa: BLE001 - which one a client raises is a result
        status = getattr(error, "status_code", None) or getattr(error, "code", None)
        return {"error": type(error).__name__, "status": status, "message": str(error)[:300]}


def main() -> None:
    client, base = sys.argv[1:]
    # litellm tells things on standard output; that is where the answers go.
    answers, sys.stdout = sys.stdout, sys.stderr
    for situation in (WHOLE, STREAMED, CANCELLED, CUT, ERROR, TOOLS):
        told = outcome(CLIENTS[client], f"{base}/{client}-{situation}", situation)
        print(json.dumps({"situation": situation, **told}), file=answers, flush=True)


if __name__ == "__main__":
    main()
