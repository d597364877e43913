"""Calls a model by OpenAI's SDK, instrumented as the first argument says, and exports
its spans by OTLP. Run by the Python of an environment that has these libraries.

    python instrumented.py official|openllmetry|openinference URL-OF-THE-MODEL
"""

import importlib
import sys
from contextlib import suppress

import httpx
from openai import OpenAI, OpenAIError
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.propagate import inject
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

INSTRUMENTATIONS = {
    "official": "opentelemetry.instrumentation.openai_v2",
    "openllmetry": "opentelemetry.instrumentation.openai",
    "openinference": "openinference.instrumentation.openai",
}
ASKED = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Where to?"}]
TOOL = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}


def main(name, url):
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    importlib.import_module(INSTRUMENTATIONS[name]).OpenAIInstrumentor().instrument()
    # As an instrumented HTTP client does: the call states the trace and span that it is made in.
    hooks = {"request": [lambda request: inject(request.headers)]}
    with httpx.Client(event_hooks=hooks) as client:
        call(OpenAI(base_url=url, api_key="a-key", max_retries=0, http_client=client))
    with provider.get_tracer("a program").start_as_current_span("GET /basket"):
        pass
    provider.shutdown()


def call(client):
    def ask(**more):
        return client.chat.completions.create(model="gpt-5.4", messages=ASKED, **more)

    ask(temperature=0.5)
    list(ask(stream=True, stream_options={"include_usage": True}))
    ask(tools=[TOOL])
    with suppress(OpenAIError):
        ask(user="fail")


main(*sys.argv[1:3])
