"""The page of the query language, of the registries; ``python -m tests.query.query_page``."""

import os
from collections.abc import Iterable

from inspector.query.fields import Field, FieldKind, Registry
from inspector.query.language import MAX_CHARACTERS, MAX_DEPTH, MAX_TERMS
from inspector.query.resolve import MAX_VALUES

HEAD = """# Queries

One box finds captures on the archive's page and votes on the page of feedback; `q` of `GET /api/v1/captures/` and of
`GET /api/v1/feedback/` takes the same text.

```
"clears on Thursday" vendor:openrouter result:truncated,empty first_token>2s -tag:known
```

| written | finds |
|---|---|
| `late parcel` | both words, in any order |
| `"late parcel"` | the phrase |
| `vendor:openai` | a value of a field |
| `vendor:openai,azure` | any of several values |
| `tag:"eu west"` | a value with spaces, commas, parentheses or a star of its own |
| `format:gemini` | what pages call a field in one word is its name, too: this is `dialect:gemini` |
| `model:gpt-4*`, `model:*mini`, `model:*4o*` | a part of a name, ignoring case; the star stands at the beginning or at the end |
| `first_token>2s`, `tokens.out<=100`, `cost>=0.01` | more, less |
| `duration:1s..5s`, `size:20kB..`, `status:..299` | a range with both its ends, or with one |
| `missing:first_token`, `has:tag` | what lacks a field, what has it |
| `since:7d`, `since:yesterday`, `until:2026-11-01` | times: ages, days in UTC, RFC 3339, Unix seconds |
| `-vendor:openai`, `-(tag:eu errors>0)` | all others |
| `tag:eu or errors>0` | either; what stands side by side holds together, so `a b or c` is `(a b) or c` |
| an id alone | the capture of this id, whole or its first 8 digits, of this idempotency key or request id |

- A space means *and*. Small letters and capitals are the same in words, parts of names and notes; in whole values they differ.
- Absent is not 0: `first_token<1s` finds no capture without times, and `-first_token<1s` finds those, too. What a query does not
  find, its negation finds: `-vendor:openai` shows captures of unknown vendors and those that are not analysed yet.
- A mistake is marked in its place and told with the nearest value that there is; it is left out, and the rest of the query holds.
  The API answers 422 with the place and the nearest value.
- Parameters of addresses (`?vendor=openai&verdict=complete`) mean the same, and hold together with `q`. In a parameter a star
  stands for itself; several `tag` or `ambiguous_tier` must all match, several values of others any.
- A query has up to {characters:,} characters, {terms} terms and {depth} parentheses within each other; a field up to {values} values.

What has *no index* is looked for in one capture after the other, newest first, for two seconds at most: a time range or a field with an
index beside it makes it fast.
"""
COLUMNS = "| field | finds by | values | |\n|---|---|---|---|\n"
FORMS = {
    FieldKind.NAME: "names",
    FieldKind.TEXT: "a part of the text",
    FieldKind.ID: "a whole value",
    FieldKind.FLAG: "`yes`, `no`",
    FieldKind.NUMBER: "numbers: `200`, `2k`",
    FieldKind.DURATION: "durations: `800ms`, `2s`, `1.5m`",
    FieldKind.SIZE: "bytes: `900`, `20kB`, `1MB`",
    FieldKind.MONEY: "US dollars: `0.01`",
    FieldKind.TIME: "times",
    FieldKind.PRESENCE: "names of fields",
}
MAX_LISTED = 12
"""Values of a vocabulary that the table names; of a longer one, how many there are."""


def page(captures: Registry, votes: Registry) -> str:
    head = HEAD.format(
        characters=MAX_CHARACTERS, terms=MAX_TERMS, depth=MAX_DEPTH, values=MAX_VALUES
    )
    return "\n".join([head, *section("Captures", captures), *section("Votes", votes)])


def section(title: str, registry: Registry) -> Iterable[str]:
    return f"## {title}\n", COLUMNS + "".join(line(each, registry) for each in registry)


def line(field: Field, registry: Registry) -> str:
    name = f"{field.name}.<key>" if field.takes_key else field.name
    index = "" if field.has_index or field.kind is FieldKind.PRESENCE else "no index"
    return f"| `{name}` | {field.meaning} | {values(field, registry)} | {index} |\n"


def values(field: Field, registry: Registry) -> str:
    form = field.form or FORMS[field.kind]
    known = registry.allowed_values(field.name)
    if known is None or field.kind is FieldKind.FLAG:
        return form
    listed = ", ".join(f"`{value}`" for value in known[:MAX_LISTED])
    if len(known) > MAX_LISTED:
        listed += f" and {len(known) - MAX_LISTED} more"
    return f"{listed}; {form}" if field.is_ordered else listed


if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from inspector.archive.listing.capture_fields import CAPTURE_FIELDS
    from inspector.feedback.vote_fields import VOTE_FIELDS

    print(page(CAPTURE_FIELDS, VOTE_FIELDS), end="")
