"""Names the JSON types of values in sentences."""

from inspector.core.json import Json

_TYPE_WORDS: dict[type, str] = {
    bool: "true or false",
    dict: "an object",
    list: "a list",
    str: "a text",
    type(None): "null",
}


def type_word(value: Json) -> str:
    """Name the JSON type of a value for a message: ``a number``, ``a list``."""
    return _TYPE_WORDS.get(type(value), "a number")
