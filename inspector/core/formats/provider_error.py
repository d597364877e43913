"""Errors sent in place of an answer or beside one: one table of the shapes of providers and
gateways, and the words in them that tell the reason.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from inspector.core.findings import shorten
from inspector.core.formats.dialect import Dialect, FieldsSeen
from inspector.core.formats.envelope import WORDS, Held, held_inside
from inspector.core.json import Json, parser

MAX_MESSAGE = 500
"""Quoted of an error's message: most are a sentence, some a whole traceback."""


class ErrorShape(NamedTuple):
    """Where an error stands. ``code`` is the member that tells whether there is one; without it
    words or values are enough. ``is_alone``: only in an object that has nothing of an answer.
    """

    at: tuple[str, ...]
    words: str = ""
    code: str = ""
    is_alone: bool = True
    only: frozenset[str] = frozenset()
    """If given, no other members may stand beside."""


_PREFIXES = ["err", "error", "ret", "return", "rtn", "resp", "result", "status"]
_SPELLINGS = (
    ("{}_code", "{}_msg"), ("{}code", "{}msg"), ("{}Code", "{}Msg"), ("{}_code", "{}_message"),
    ("{}Code", "{}Message"), ("{}_code", "message"), ("{}_code", "msg"), ("{}Code", "message"),
    ("{}Code", "msg"), ("{}_no", "{}_msg"), ("{}no", "{}msg"), ("{}no", "msg"), ("{}no", "message"),
)  # fmt: skip
"""Members for the code and for the words of gateways that prefix them alike."""
MESSAGE_ALONE = frozenset({"message", "Message", "id", "__type", "code", "request_id"})

SHAPES = (
    # MiniMax: also beside choices, with status_code 0 where there is none.
    ErrorShape(("base_resp",), "status_msg", "status_code", is_alone=False),
    # Baidu's Qianfan; Databricks and MLflow.
    ErrorShape((), "error_msg", "error_code", is_alone=False),
    ErrorShape((), "message", "error_code", is_alone=False),
    # WeChat, Baidu's older services, Tencent and many gateways.
    *(
        ErrorShape((), words.format(prefix), code.format(prefix))
        for prefix in _PREFIXES
        for code, words in _SPELLINGS
    ),
    ErrorShape(("error",)),
    # Cloudflare, JSON:API and GraphQL; S3; Tencent Cloud; iFlytek Spark; Apigee.
    ErrorShape(("errors",)),
    ErrorShape(("Error",), "Message"),
    ErrorShape(("Response", "Error"), "Message"),
    # Volcano Engine.
    ErrorShape(("ResponseMetadata", "Error"), "Message"),
    ErrorShape(("header",), "message", "code"),
    ErrorShape(("fault",), "faultstring"),
    # FastAPI; problem details (RFC 9457).
    ErrorShape(("detail",)),
    ErrorShape((), "title", "status"),
    # DashScope, vLLM; Zhipu, one-api and other gateways; Azure API Management; AWS Lambda.
    ErrorShape((), "message", "code"),
    ErrorShape((), "msg", "code"),
    ErrorShape((), "desc", "code"),
    ErrorShape((), "message", "status"),
    ErrorShape((), "msg", "status"),
    ErrorShape((), "message", "ret"),
    ErrorShape((), "msg", "ret"),
    ErrorShape((), "errorMessage"),
    ErrorShape((), "error_message"),
    ErrorShape((), "exception"),
    ErrorShape((), "err"),
    # Gateways that say no more than that it failed.
    ErrorShape((), "message", "success"),
    ErrorShape((), "msg", "success"),
    ErrorShape((), "description", "ok"),
    # Alibaba Cloud; Cohere; AWS and Kong.
    ErrorShape((), "Message", "Code"),
    ErrorShape((), "__type", only=MESSAGE_ALONE),
    ErrorShape((), "message", only=MESSAGE_ALONE),
    ErrorShape((), "Message", only=MESSAGE_ALONE),
)
_BY_SIGN: dict[str, list[tuple[int, ErrorShape]]] = {}
for _rank, _shape in enumerate(SHAPES):
    _BY_SIGN.setdefault(_shape.at[0] if _shape.at else _shape.words, []).append((_rank, _shape))
ERROR_SIGNS = frozenset(_BY_SIGN)
"""Members without which an object states no error."""
_PLAIN_SIGNS = frozenset({"base_resp", *(sign for sign in ERROR_SIGNS if "err" in sign.lower())})
_FAILED = ("error", "fail", "failed", "failure")
_OUTCOMES = ("status", "status_code", "statusCode", "code", "success", "ok")
_OF_ANSWERS = frozenset({
    "candidates", "choices", "completion", "content", "delta", "output", "predictions", "response",
})  # fmt: skip
"""Members of answers and of the events that build them."""
_FINE = frozenset({
    0, 200, "0", "200", "ok", "success", "successful", "succeeded", "completed", "",
    "成功", "操作成功", "请求成功",
})  # fmt: skip
_MESSAGES = (shape.words for shape in SHAPES if shape.words.lower().endswith(("msg", "message")))
_NAMES = (
    *dict.fromkeys(("message", "Message", "msg", *_MESSAGES)),
    "error_description", "faultstring", "exception", "err",
    "detail", "description", "desc", "reason", "why", "title", "error",
    "errors", "code", "Code", "type", "__type",
)  # fmt: skip
"""Members that tell what is wrong, the plainest first."""
_REASONS = (
    ("metadata", "raw"), ("metadata", "reasons"), ("innererror",), ("inner_error",), ("cause",),
    ("details",), ("error",),
)  # fmt: skip
"""Where the error stands that caused one: OpenRouter has the upstream's own body as a text."""
_EMPTY = {dict: "an empty object, {}", list: "an empty list, []", str: 'an empty text, ""'}
_DEEPEST = 6
"""Gateways pass on the error behind them as a text, each in one of its own."""


def stated_error(value: Mapping[str, Json]) -> tuple[Json, tuple[str, ...]] | None:
    """Return an error in a shape of the table, and the place of its words; None without one."""
    if not (signs := ERROR_SIGNS.intersection(value)):
        return None
    is_answer = any(value.get(name) for name in _OF_ANSWERS)
    for _, shape in sorted(each for sign in signs for each in _BY_SIGN[sign]):
        if is_answer and shape.is_alone:
            continue
        held = _held(value, shape.at)
        if isinstance(held, str | int) and _is_error(held, shape):
            # What is wrong is said beside it: {"error": true, "message": …}.
            held = value
        if _is_error(held, shape):
            return held, (*shape.at, shape.words) if shape.words else shape.at
    return None


def error_passed_on(outer: Json, text: bytes, *, is_failure: bool = False) -> Held | None:
    """Return the error that something passes on and does not state itself; None without one. Unless
    it says that something failed, only an object that speaks of an error is one, and nothing that a
    model or a tool says. ``is_failure``: it must say that something failed.
    """
    around = outer if isinstance(outer, dict) else {}
    has_failed = any(_is_failure(around.get(name)) for name in _OUTCOMES)
    if is_failure and not has_failed:
        return None

    def is_error(inner: Mapping[str, Json]) -> bool:
        is_plain = has_failed or not _PLAIN_SIGNS.isdisjoint(inner)
        return is_plain and stated_error(inner) is not None

    found = None if stated_error(around) else held_inside(outer, text, is_error)
    return found if found and (has_failed or not _is_said(found)) else None


def _is_said(found: Held) -> bool:
    return "output" in found.path or not WORDS.isdisjoint(found.spelt_at[-1:])


def _is_failure(outcome: Json) -> bool:
    is_status = isinstance(outcome, int) and 400 <= outcome < 600
    return is_status or outcome is False or str(outcome).lower() in _FAILED


def _held(value: Json, steps: Sequence[str]) -> Json:
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _is_error(held: Json, shape: ErrorShape) -> bool:
    if not shape.words:
        # A list of errors that is empty tells that there is none.
        return not is_blank(held) and (held != [] or shape.at != ("errors",))
    if not isinstance(held, dict) or (shape.only and not held.keys() <= shape.only):
        return False
    words = held.get(shape.words)
    # vLLM and Mistral, whose message may be an object.
    if words and "error" in (held.get("object"), held.get("type")):
        return True
    has_words = isinstance(words, str) and words.strip().lower() not in _FINE
    code = shape.code or "code"
    if code not in held:
        return has_words and not shape.code
    # In a member of its own a code is enough.
    return (has_words or bool(shape.at)) and not _is_fine(held[code])


def is_blank(error: Json) -> bool:
    """Return True for an error that says nothing, as gateways send it beside every answer."""
    if isinstance(error, dict):
        return bool(error) and not any(error.values())
    return error in (None, 0, "")


def _is_fine(code: Json) -> bool:
    if code is None or isinstance(code, bool):
        return code is not False
    if isinstance(code, list | dict):
        return False
    # As in "00000".
    is_zero = isinstance(code, str) and code.strip("0") == ""
    return is_zero or (code.lower() if isinstance(code, str) else code) in _FINE


def error_message(value: Json) -> str:
    """Return the message of an error of any shape, for use inside a sentence."""
    words = error_words(value)
    reason = next(filter(None, map(error_words, _reasons(value))), "")
    if reason and reason not in words:
        words = f"{words.rstrip('.')}: {reason}" if words else reason
    return shorten(words or value or _EMPTY.get(value.__class__, "no message"), MAX_MESSAGE)


def error_words(value: Json, depth: int = 0) -> str:
    """Return the plainest text in an error, "" if it has none."""
    if isinstance(value, str):
        is_json = depth < _DEEPEST and value.lstrip()[:1] in ("{", "[")
        return (is_json and error_words(_parsed(value), depth + 1)) or value.strip()
    if depth >= _DEEPEST:
        return ""
    if isinstance(value, list):
        return next(filter(None, (error_words(each, depth + 1) for each in value[:8])), "")
    if isinstance(value, Mapping):
        return _words_of_members(value, depth + 1)
    # A number alone says nothing; that of a code does.
    is_code = depth > 0 and isinstance(value, int | float) and not isinstance(value, bool)
    return shorten(value) if is_code else ""


def _words_of_members(value: Mapping[str, Json], depth: int) -> str:
    """Return the words of the first member that has some: a known one, else any that holds more."""
    named = (value[name] for name in _NAMES if name in value)
    held = (each for each in value.values() if isinstance(each, Mapping | list))
    return next(filter(None, (error_words(each, depth) for each in (*named, *held))), "")


def _reasons(value: Json) -> Iterator[Json]:
    for steps in _REASONS:
        if found := _held(value, steps):
            yield found


def _parsed(text: str) -> Json:
    return parser.parse_json(text.encode(errors="replace")).value


def recognises(_signs: FieldsSeen) -> bool:
    """Names of fields do not tell an error: the table does."""
    return False


DIALECT = Dialect(
    slug="provider-error", title="provider error", recognises=recognises, object="error"
)
