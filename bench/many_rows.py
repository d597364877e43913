"""Rows of an archive that is large: made by SQL alone, as inspecting as many would take hours.

Seven days of captures end now, of one team and, every tenth, of another. Their times, verdicts,
models, reasons, findings and tags are spread as in a mixed archive; bodies and documents are left
out, for no list touches them.
"""

from typing import Any

DAYS = 7
TABLES = (
    "archive_capture",
    "archive_inspection",
    "archive_choicerow",
    "archive_findingrow",
    "usage_price",
    "archive_tagrow",
)
"""Those that are filled."""

CAPTURES = """
INSERT INTO archive_capture (id, team_id, state, received_at, called_at, attempt, due_at,
    byte_length, sha256, content_type, status_code, outcome, note, tags, metadata, evidence_form,
    redactions, rewritings)
SELECT
    (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' ||
        substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid,
    CASE WHEN n %% 10 = 9 THEN %(other)s ELSE %(team)s END,
    CASE WHEN n > %(rows)s - 3 THEN 'received' WHEN h %% 4000 = 7 THEN 'quarantined'
        WHEN h %% 5000 = 8 THEN 'gone' ELSE 'inspected' END,
    at, at, 1, at, 2000 + h %% 60000, md5(n::text) || md5((n + 1)::text), 'text/event-stream', 200,
    'ended', '',
    CASE WHEN h %% 10 < 4 THEN jsonb_build_array('checkout') WHEN h %% 10 < 6
        THEN jsonb_build_array('support', 'eu') WHEN h %% 1000 = 999
        THEN jsonb_build_array('rare') ELSE jsonb_build_array() END,
    '{}', 1, 0, 0
FROM (SELECT n, abs(hashint8(n)) AS h,
        now() - make_interval(secs => (%(rows)s - n) * %(seconds)s::float8 / %(rows)s) AS at
    FROM generate_series(1, %(rows)s) n) counted
"""

INSPECTIONS = """
INSERT INTO archive_inspection (capture_id, team_id, called_at, analysis_version, tried_version,
    verdict, result, dialect, vendor, object, streamed, model, request_model, response_id,
    choice_count, finish_reasons, usage_reported, prompt_tokens, completion_tokens, total_tokens,
    cost_usd, clock,
    first_byte_us, first_content_us, first_token_us, duration_us, error_count, warning_count,
    info_count)
SELECT id, team_id, called_at, 1, 1,
    CASE WHEN h %% 1000 < 930 THEN 'complete' WHEN h %% 1000 < 965 THEN 'cut-off'
        WHEN h %% 1000 < 980 THEN 'missing-terminator' WHEN h %% 1000 < 990 THEN 'provider-error'
        WHEN h %% 1000 < 999 THEN 'client-cancelled' ELSE 'elided' END,
    CASE WHEN h %% 1000 < 930 THEN 'answered' WHEN h %% 1000 BETWEEN 980 AND 989 THEN 'error'
        ELSE 'unknown' END,
    CASE WHEN h %% 100 < 95 THEN 'openai-chat' WHEN h %% 100 < 98 THEN 'workflowai'
        ELSE 'openai-text' END,
    'openai', 'chat.completion', true,
    (ARRAY['gpt-4.1-mini', 'gpt-4.1-mini', 'gpt-4.1-mini', 'gpt-4.1', 'claude-sonnet-4-5',
        'qwen3-235b-a22b-thinking', 'deepseek-reasoner', 'mistral-large'])[1 + h %% 8]
        || CASE WHEN h %% 997 = 0 THEN '-rare' ELSE '' END,
    NULL, 'chatcmpl-' || substr(md5(id::text), 1, 24), 1,
    jsonb_build_array(CASE WHEN h %% 1000 < 800 THEN 'stop' WHEN h %% 1000 < 930 THEN 'tool_calls'
        WHEN h %% 1000 < 980 THEN 'none' ELSE 'length' END),
    true, h %% 4000, h %% 900, h %% 4900, '0.0013', 'recorded', 300000, 400000,
    400000, 400000 + h %% 9000000,
    CASE WHEN h %% 1000 >= 930 AND h %% 1000 < 990 THEN 1 ELSE 0 END,
    CASE WHEN h %% 11 = 3 THEN 1 ELSE 0 END, CASE WHEN h %% 7 = 3 THEN 1 ELSE 0 END
FROM (SELECT id, team_id, called_at, abs(hashtext(id::text)::bigint) AS h FROM archive_capture
    WHERE state = 'inspected') inspected
"""

CHOICES = """
INSERT INTO archive_choicerow (capture_id, position, index, finish_reason, tool_call_count)
SELECT capture_id, 0, 0, finish_reasons->>0, 0 FROM archive_inspection
"""

FINDINGS = """
INSERT INTO archive_findingrow (capture_id, source, position, code, severity, message)
SELECT capture_id, 'reading', 0, 'ending.' || verdict, 'error', '' FROM archive_inspection
    WHERE error_count > 0
UNION ALL
SELECT capture_id, 'reading', 1, 'timing.stall', 'warning', '' FROM archive_inspection
    WHERE warning_count > 0
UNION ALL
SELECT capture_id, 'reading', 2, 'usage.not-reported', 'info', '' FROM archive_inspection
    WHERE info_count > 0
"""

PRICES = """
INSERT INTO usage_price (capture_id, team_id, called_at, billable, computed_usd, reason, "table",
    contradicts_stated, unpriced_items, service_tier, fingerprint)
SELECT capture_id, team_id, called_at, '\\x7b7d',
    CASE WHEN h %% 100 < 80 THEN '0.0013' END,
    CASE WHEN h %% 1000 = 999 THEN 'several_makers' WHEN h %% 100 >= 95
        THEN 'no_price' WHEN h %% 100 >= 80 THEN 'no_usage' END,
    CASE WHEN h %% 5000 = 7 THEN 'override of 2026-11-01' ELSE 'genai-prices 0.2.3' END,
    false, CASE WHEN h %% 100 = 8
        THEN '[{"count": 3, "kind": "searches", "field": "num_search_queries"}]'::jsonb END,
    CASE WHEN h %% 5000 = 9 THEN 'flex' WHEN h %% 10 < 8 THEN 'default' ELSE '' END,
    CASE WHEN h %% 10 < 7 THEN 'fp_' || h %% 3 WHEN h %% 10 < 9 THEN 'fp_' || capture_id ELSE '' END
FROM (SELECT *, abs(hashtext('price' || capture_id::text)::bigint) AS h FROM archive_inspection) p
"""

TAGS = """
INSERT INTO archive_tagrow (capture_id, tag)
SELECT id, jsonb_array_elements_text(tags) FROM archive_capture WHERE state <> 'gone'
"""


def fill(connection: Any, rows: int, team: int, other: int) -> None:
    """Open a ``connection`` of PostgreSQL, each statement a transaction of its own."""
    values = {"rows": rows, "team": team, "other": other, "seconds": DAYS * 86_400}
    # Every reference is right by the way the rows are made; looking each up takes as long again.
    connection.execute("SET session_replication_role = replica")
    for statement in (CAPTURES, INSPECTIONS, CHOICES, FINDINGS, PRICES, TAGS):
        connection.execute(statement, values)
    connection.execute("VACUUM ANALYZE")
