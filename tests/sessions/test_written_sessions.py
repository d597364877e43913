"""Written sessions, each with the turns, additions, missed caches and causes that are in it."""

import pytest

from tests.people import Person
from tests.sessions.written import ANTHROPIC, OPENAI, read_lines, send, told

pytestmark = pytest.mark.both_stacks

# seconds | prompt | tokens: prompt, cached, written | options | lane, <follows, changes, cause
OF_OPENAI = {
    "one call": """
        0 | S1 U1                     | 1500          |                | 0
    """,
    "an agent's loop": """
        0 | T1 S1 U1                  | 3000          |                | 0
        5 | T1 S1 U1 C1 R1            | 4000 2944     |                | 0 <1 +2
       10 | T1 S1 U1 C1 R1 C2 R2      | 5000 3968     |                | 0 <2 +2
    """,
    "a chat": """
        0 | S1 U1                     | 2000          |                | 0
       60 | S1 U1 A1 U2               | 3000 1920     |                | 0 <1 +2
      120 | S1 U1 A1 U2 A2 U3         | 4000 2944     |                | 0 <2 +2
    """,
    "several results at once": """
        0 | S1 U1                     | 2000          |                | 0
        5 | S1 U1 C1 C2 R1 R2         | 4000 1920     |                | 0 <1 +4
    """,
    "a retry": """
        0 | S1 U1                     | 0             | fails=1        | 0
        2 | S1 U1                     | 2000          |                | 0 =1
       10 | S1 U1 A1 U2               | 3000 1920     |                | 0 <2 +2
    """,
    "two retries": """
        0 | S1 U1                     | 0             | fails=1        | 0
        2 | S1 U1                     | 0             | fails=1        | 0 =1
        6 | S1 U1                     | 2000          |                | 0 =1
    """,
    "a fallback to another model": """
        0 | S1 U1                     | 0             | fails=1        | 0
        1 | S1 U1                     | 2000          | model=gpt-4.1  | 0 =1
    """,
    "the same prompt twice, both answered": """
        0 | S1 U1                     | 2000          |                | 0
       10 | S1 U1                     | 2000 1920     |                | 1
    """,
    "parallel calls with a common beginning": """
        0 | S1 U1                     | 2000          |                | 0
        5 | S1 U1 A1 U2               | 3000 1920     |                | 0 <1 +2
        5 | S1 U1 A1 U3               | 3000 1920     |                | 1 <1 +2
    """,
    "a sub-agent": """
        0 | S1 U1                     | 2000          |                | 0
        5 | S2 U9                     | 2000          |                | 1
        8 | S2 U9 C8 R8               | 3000 1920     |                | 1 <2 +2
       12 | S1 U1 C1 R1               | 3000 1920     |                | 0 <1 +2
    """,
    "an edited message": """
        0 | S1 U1 A1 U2               | 4000          |                | 0
        9 | S1 U1 A1 U3               | 4000 2944     |                | 0 <1 e1 changed:history
    """,
    "a branch from an earlier turn": """
        0 | S1 U1                     | 2000          |                | 0
        5 | S1 U1 A1 U2               | 3000 1920     |                | 0 <1 +2
       20 | S1 U1 A1 U4               | 3000 2944     |                | 1 <1 +2
    """,
    "a message dropped at the front": """
        0 | S1 U1 A1 U2 A2 U3         | 6000          |                | 0
        9 | S1 U1 U2 A2 U3            | 5000 1920     |                | 0 <1 -1 changed:history
    """,
    "a compacted history": """
        0 | S1 U1 A1 U2 A2 U3         | 9000          |                | 0
       60 | S1 U8 U3                  | 4000 1408     |                | 0 <1 -3 e1 changed:history
    """,
    "a tool added": """
        0 | T1 S1 U1                  | 4000          |                | 0
        5 | T1 T2 S1 U1 A1 U2         | 6000 1280     |                | 0 <1 +3 changed:tools
    """,
    "a tool described anew": """
        0 | T1a T2a S1 U1             | 4000          |                | 0
        5 | T1b T2a S1 U1 A1 U2       | 6000          |                | 0 <1 +2 e1 changed:tools
    """,
    "tools in another order": """
        0 | T1 T2 S1 U1               | 4000          |                | 0
        5 | T2 T1 S1 U1 A1 U2         | 6000          |                | 0 <1 +2 m1 changed:tools
    """,
    "a tool taken away": """
        0 | T1 T2 S1 U1               | 5000          |                | 0
        5 | T1 S1 U1 A1 U2            | 5000 1280     |                | 0 <1 +2 -1 changed:tools
    """,
    "a system prompt with the time of day": """
        0 | S1 U1                     | 3000          |                | 0
        5 | S2 U1 A1 U2               | 4000          |                | 0 <1 +2 e1 changed:system
       10 | S3 U1 A1 U2 A2 U3         | 5000          |                | 0 <2 +2 e1 changed:system
    """,
    "a pause longer than entries are kept": """
        0 | S1 U1                     | 3000          |                | 0
      900 | S1 U1 A1 U2               | 4000          |                | 0 <1 +2 expired
    """,
    "a long pause with entries kept for a day": """
        0 | S1 U1                     | 3000          | retention=24h  | 0
      900 | S1 U1 A1 U2               | 4000 2944     | retention=24h  | 0 <1 +2
    """,
    "another model": """
        0 | S1 U1                     | 3000          |                | 0
        5 | S1 U1 A1 U2               | 4000          | model=gpt-4.1  | 0 <1 +2 p:model other-route
    """,
    "another key of the cache": """
        0 | S1 U1                     | 3000          | key=a          | 0
        5 | S1 U1 A1 U2               | 4000          | key=b          | 0 <1 +2 p:prompt_cache_key other-route
    """,
    "another machine": """
        0 | S1 U1                     | 3000          | fingerprint=fp_1 | 0
        5 | S1 U1 A1 U2               | 4000          | fingerprint=fp_2 | 0 <1 +2 other-route
    """,
    "nothing says why": """
        0 | S1 U1                     | 3000          |                | 0
        5 | S1 U1 A1 U2               | 4000          |                | 0 <1 +2 unknown
    """,
    "prompts too short to be cached": """
        0 | S1 U1                     | 500           |                | 0
        5 | S1 U1 A1 U2               | 900           |                | 0 <1 +2
    """,
    "a parameter changed, which no cache minds": """
        0 | S1 U1                     | 3000          | temperature=0  | 0
        5 | S1 U1 A1 U2               | 4000 2944     | temperature=1  | 0 <1 +2 p:temperature
    """,
    "calls that come in another order": """
        5 | S1 U1 A1 U2               | 4000          | arrived=6      | 0 <2 +2 unknown
        0 | S1 U1                     | 3000          | arrived=9      | 0
    """,
    "answers without requests": """
        0 |                           | 3000          |                | 0
        5 |                           | 4000          |                | 1
    """,
    "two who share an id": """
        0 | S1 U1                     | 2000          |                | 0
        3 | S7 U7                     | 2000          |                | 1
        5 | S1 U1 A1 U2               | 3000 1920     |                | 0 <1 +2
        9 | S7 U7 A7 U8               | 3000 1920     |                | 1 <2 +2
    """,
}
OF_ANTHROPIC = {
    "a marked conversation": """
        0 | T1 S1 U1                  | 3000 0 2900   |                | 0
        5 | T1 S1 U1 C1 R1            | 4000 2900 900 |                | 0 <1 +2
       10 | T1 S1 U1 C1 R1 C2 R2      | 5000 3800 900 |                | 0 <2 +2
    """,
    "a tool that changed": """
        0 | T1a S1 U1                 | 3000 0 2900   |                | 0
        5 | T1b S1 U1 C1 R1           | 4000 0 3900   |                | 0 <1 +2 e1 changed:tools
    """,
    "six minutes later": """
        0 | S1 U1                     | 3000 0 2900   |                | 0
      360 | S1 U1 A1 U2               | 4000 0 3900   |                | 0 <1 +2 expired
    """,
    "six minutes later, kept for an hour": """
        0 | S1 U1                     | 3000 0 2900   | ttl=1h         | 0
      360 | S1 U1 A1 U2               | 4000 0 3900   | ttl=1h         | 0 <1 +2 unknown
    """,
    "marked, and too short": """
        0 | S1 U1                     | 600           |                | 0
        5 | S1 U1 A1 U2               | 900           |                | 0 <1 +2 below-minimum
    """,
    "never marked": """
        0 | S1 U1                     | 3000          | unmarked=1     | 0
        5 | S1 U1 A1 U2               | 4000          | unmarked=1     | 0 <1 +2
    """,
}


def expected(table: str) -> list[str]:
    return [line.expected for line in read_lines(table)]


@pytest.mark.parametrize("name", OF_OPENAI)
def test_a_session_of_chat_completions_is_told_as_written(owner: Person, name: str) -> None:
    assert told(send(owner, OF_OPENAI[name], url=OPENAI)) == expected(OF_OPENAI[name])


@pytest.mark.parametrize("name", OF_ANTHROPIC)
def test_a_session_of_messages_is_told_as_written(owner: Person, name: str) -> None:
    assert told(send(owner, OF_ANTHROPIC[name], url=ANTHROPIC)) == expected(OF_ANTHROPIC[name])
