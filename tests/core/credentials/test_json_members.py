"""In bodies names decide that are documented, and shapes that are no prose."""

from typing import Any

from inspector.core.credentials import json_members
from inspector.core.credentials.json_members import MetadataCleaner
from inspector.core.credentials.spans import overwrite_spans

KEY = "sk-proj-aBcD1234efGH5678ijklMNop"
PEM = "-----BEGIN RSA PRIVATE KEY-----\\nMIIEpAIBAAKCAQEA1234abcdEFGHijklMNOPqrstUVwx\\nAbCd/+==\\n-----END RSA PRIVATE KEY-----"
BEFORE_AND_AFTER = {
    '{"api_key":"a1","apiKey": "b2" , "API-KEY":\n"c3"}': '{"api_key":"**","apiKey": "**" , "API-KEY":\n"**"}',
    '{"password":"a\\"b\\\\","n":1}': '{"password":"******","n":1}',
    '{"password":["a","b"],"x":["c"]}': '{"password":["*","*"],"x":["c"]}',
    '{"\\u0061pi_key":"a1"}': '{"\\u0061pi_key":"**"}',
    '{"tools":[{"type":"mcp","server_url":"https://h/sse?token=abc","authorization":"tok"}]}': '{"tools":[{"type":"mcp","server_url":"https://h/sse?token=***","authorization":"***"}]}',
    '{"mcp_servers":[{"authorization_token":"tok"}]}': '{"mcp_servers":[{"authorization_token":"***"}]}',
    '{"headers":{"X-Foo":"bar","n":3,"Accept":"a","Z":["q","r"],"Y":"z"},"a":"b"}': '{"headers":{"X-Foo":"***","n":3,"Accept":"a","Z":["*","*"],"Y":"*"},"a":"b"}',
    '{"arguments":"{\\"password\\": \\"hunter2\\", \\"q\\":\\"x\\\\\\"y\\"}"}': '{"arguments":"{\\"password\\": \\"*******\\", \\"q\\":\\"x\\\\\\"y\\"}"}',
    '{"image_url":{"url":"https://h/a.png?sv=1&sig=abc%3D"}}': '{"image_url":{"url":"https://h/a.png?sv=1&sig=******"}}',
    '{"password":"cut o': '{"password":"*****',
    f'[{{"content":"mine is {KEY}, \\n{KEY}"}}]': f'[{{"content":"mine is {"*" * 32}, \\n{"*" * 32}"}}]',
    f'{{"content":"{PEM}\\nand more"}}': f'{{"content":"{"*" * len(PEM)}\\nand more"}}',
    '{"content":"Authorization: Bearer aBcD1234efGH5678ijkl"}': '{"content":"Authorization: Bearer ********************"}',
}  # fmt: skip
KEPT = (
    '{"messages":[{"role":"user","content":"my password is hunter2, what is sk-learn?"}]}',
    '{"content":"how do I install sk-learn-contrib-imbalanced-datasets?"}',
    '{"content":"a Bearer token, Basic authentication, -----BEGIN PRIVATE KEY----- and so on"}',
    '{"content":"see https://h/?token=abc for it"}',
    '{"max_tokens":5,"stop_token":"</s>","token":"Hello","key":"value","logit_bias":{"50256":-100}}',
    '{"parameters":{"properties":{"password":{"type":"string","description":"of the user"}}}}',
    '{"properties":{"headers":{"type":"object","description":"headers of the call"}}}',
    '{"password":[],"x":"y","cookie":null,"secret":17}',
    '{"required":["password","api_key"],"enum":["authorization"]}',
    '{"image_url":{"url":"https://h/a.png?w=100&h=200"}}',
    '{"prompt_cache_key":"user-17","user":"u-1","model":"gpt-4o","safety_identifier":"x"}',
    '{"content":"eyJ0IjoxLCJ1Ijo3LCJyIjoiMDE5My03YzFlIn0.9f2c70"}',
    '{"signature":"EqQBCgIYAhIMabcdEFGH0123456789+/==","encrypted_content":"gAAAAABo0123"}',
    "",
    "no JSON at all: password=hunter2",
)


def told(body: str) -> str:
    sent = body.encode()
    text = sent.decode("latin-1")
    made = overwrite_spans(sent, json_members.in_body(text))
    assert len(made) == len(sent)
    return made.decode()


def test_credentials_by_documented_names_and_by_shape_are_overwritten_in_place() -> None:
    assert {body: told(body) for body in BEFORE_AND_AFTER} == BEFORE_AND_AFTER


def test_everything_else_of_a_body_stays() -> None:
    assert [told(body) for body in KEPT] == list(KEPT)


def test_characters_of_several_bytes_move_nothing() -> None:
    assert told('{"a":"你好","api_key":"é1","b":"ü"}') == '{"a":"你好","api_key":"***","b":"ü"}'


def cleaned(metadata: dict[str, Any], *carried: str) -> tuple[dict[str, Any], int]:
    cleaner = MetadataCleaner(carried)
    return cleaner.cleaned_object(metadata), cleaner.count


def test_metadata_is_cleaned_by_names_and_by_shape_however_deep() -> None:
    assert cleaned(
        {
            "api_key": "a",
            "Authorization": ["b", {"c": "d"}],
            "headers": {"cookie": "e", "accept": "f"},
            "api_base": "https://u:p@h/v1?token=t",
            "note": f"with {KEY}",
            "echo": "it was carried-9 again",
        },
        "carried-9",
    ) == (
        {
            "api_key": "[removed]",
            "Authorization": ["[removed]", {"c": "[removed]"}],
            "headers": {"cookie": "[removed]", "accept": "f"},
            "api_base": "https://h/v1?token=[removed]",
            "note": "with [removed]",
            "echo": "it was [removed] again",
        },
        7,
    )


def test_a_connection_string_in_metadata_goes_as_a_whole() -> None:
    sent = {"connection_string": "Server=h;User Id=u", "db": {"connectionString": "h"}}
    removed = {"connection_string": "[removed]", "db": {"connectionString": "[removed]"}}
    assert cleaned(sent) == (removed, 2)
    assert cleaned({"connection": "h2", "connections": "17"})[1] == 0


def test_what_captures_are_found_by_in_metadata_stays() -> None:
    kept: dict[str, Any] = {
        "session_id": "s-1", "chat_session": "s-2", "prompt_cache_key": "k", "keywords": "a, b",
        "author": "x", "tokens": 5, "token_limit": "4096", "token_usage": {"unit": "tokens"},
        "request_id": "req_011CSHoEeqs5C35K2UUqR7Fy", "url": "https://h/?page=2", "empty": "",
    }  # fmt: skip
    assert cleaned(kept) == (kept, 0)
