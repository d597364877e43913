"""Descriptions of values that the API answers and other packages define.

Their docstrings are written for who reads the code and are not published; those of ``api.schemas``
and ``inspector.period_usage`` are.
"""

from __future__ import annotations

from collections.abc import Mapping

DESCRIPTIONS: Mapping[str, str] = {
    "Analysis": (
        "The analysis of one response. `completion` is the whole response in the non-streamed shape"
        " of its format, null if none could be read. `extras` holds unknown fields by JSON Pointer."
    ),
    "AnalysisChange": (
        "A difference between two analyses of one capture. `before` and `after` are the values; for"
        " a list or a text its length, for a finding how often it was made. A side without the"
        " value is absent."
    ),
    "AnalysisChangeKind": "What changed: a value, a text or the number of a finding.",
    "ArchivedMember": (
        "What only an archive knows of an exchange, as an export writes it. `sha256` is that of the"
        " response's body, which is refused if it is another. `reads` are times in microseconds,"
        " null if unknown, and lengths in bytes of the body; absent if the body is one read without"
        " a time. `removal` tells of credentials that were removed before the export."
    ),
    "ArgumentsCause": "Why the arguments of a tool call cannot be used as they were sent.",
    "ArgumentsState": "Whether the arguments of a tool call are valid JSON.",
    "Backlog": (
        "The number of captures that wait for inspection, and the age of the oldest; null if there"
        " are none."
    ),
    "Block": (
        "One part of a message, in the order in which the parts came. `type` is the format's own"
        " name of the part, `lane` the number of its text on the tape, `tool_call` its position in"
        " `tool_calls`. `value` is the part as it was sent, if it is more than a text. `places` are"
        " where it began and, if that is elsewhere, where it was completed."
    ),
    "BlockKind": "What a part of a message is. `hosted`: the provider ran it itself.",
    "AppliedRule": (
        "A redaction rule that overwrote something, and in how many places. `name` is the preset or"
        " the path; a word of the team is not told."
    ),
    "BulkDeletionSums": (
        "What a deletion took away so far. `exports` counts files that held a"
        " capture, `shares` links to one."
    ),
    "BulkJobStatus": (
        "A change to all captures of a query, and how far it is. `state` is `open`, `finished`,"
        " `stopped` or `failed`. `total` counts the captures that matched, null if they were too"
        " many to count; `done` those gone past, `changed` those whose tags changed, `full` those"
        " that had as many tags as allowed. `receipt` is null if nothing is deleted, `redacted` if"
        " nothing is overwritten. `undoes` and `undone_by` are ids of other jobs."
    ),
    "Choice": "One choice. `content` is set in chat, `text` in legacy completions.",
    "Clock": (
        "What times are relative to. `recorded`: the moment when the request was sent. `partial`:"
        " the first network read, so that gaps are known but not the time to the first byte."
        " `none`: there are no times."
    ),
    "CreatedTimes": (
        "First and last `created` of the chunks, in Unix seconds of the provider's clock, and how"
        " often the value changed."
    ),
    "DeletionReceipt": (
        "The receipt of a deletion. `feedback_tokens` counts tokens whose hash is kept, so that a"
        " later vote is answered with `deleted`; `feedback_votes` counts deleted votes. `exports`"
        " counts exports that held it and are withdrawn, `shares` links to it, which lead nowhere"
        " now."
        " `erased_from_disk` tells when its bytes are gone from the files of the database:"
        " `within_seconds`, or `after_vacuum`, which is for whoever runs PostgreSQL to do."
        " `receipt_days`: a retention rule deletes this receipt so many days after the deletion;"
        " null if it is kept for good."
    ),
    "Envelope": (
        "An exchange as JSON: the response, and what the sender knows besides. Unknown members are"
        " refused."
    ),
    "DryRunHit": (
        "A passage that a rule would overwrite, as it reads, cut if it is long. `byte` is where it"
        " begins in the body of the response, decompressed, or in that of the request if"
        " `is_request`."
    ),
    "EventColumns": (
        "One entry per event. `byte_end` is exclusive: it follows the byte that completed the"
        " event."
    ),
    "EventKind": "What an event of the stream is.",
    "LeftEntry": "An entry of an upload that became no capture. `number` counts from 1.",
    "UploadStatus": (
        "An upload that is cut into captures, and how far it is. `entries` were gone past,"
        " `captures` of them are captures now or were before, `left` are the first of the others."
        " `state` is `open`, `finished` or `failed`; `error` says why it failed."
    ),
    "ExportStatus": (
        "A file of all captures of a query, and how far it is. `total` counts the captures that"
        " matched, null if they were too many to count; `done` those gone past, `captures` those in"
        " the file, `skipped` those left out because they were still recorded, were deleted"
        " meanwhile, or were stored by a later release. `byte_length` is how much of the file there"
        " is."
    ),
    "Finding": "One finding of a rule: its code, its severity, a sentence, and a place.",
    "Fragment": "The part of a chat completion that the body is, where it is no whole answer.",
    "FunctionCall": "The deprecated `function_call` of chat. It does not count as a tool call.",
    "Gaps": (
        "Median, 95th percentile and maximum of the time between arrivals of chunks, in"
        " microseconds."
    ),
    "Identity": (
        "What names the response, as it was sent: its id, object, created and fingerprint. What was"
        " not sent is absent."
    ),
    "InclusionBasis": "Why a part is counted inside or outside its whole.",
    "InlineReasoning": (
        "Position of a `<think>` passage in the content, in characters; `end` is null if it is"
        " never closed."
    ),
    "JsonType": "The JSON type of a value; `absent` if it was not sent.",
    "KeptReceipt": (
        "What is kept of a deleted capture: the receipt of its deletion but for the counts of what"
        " went with it, which are told once. `sha256` is empty if it was still recorded."
        " `receipt_days` goes by the retention rules of now."
    ),
    "Lane": (
        "One text of the response that grows. `tool_call` is a position in the choice's"
        " `tool_calls`."
    ),
    "LaneKind": "What the text of a lane is.",
    "LaneMode": (
        "`append`: pieces are added to the text. `snapshot`: each piece is the whole text so far."
    ),
    "LanePace": (
        "How fast one text grew between the arrivals of its first and last piece. The rate leaves"
        " out the characters of the first arrival. It is null if everything came in one arrival, or"
        " if the stream was buffered on the way."
    ),
    "Ledger": "All token counts as a tree, the equations between them, and stated costs.",
    "LedgerLine": (
        "A checked equation, such as `9 prompt + 12 completion = 21 total`. `left` and `right` are"
        " null if they were not sent."
    ),
    "LedgerLineOutcome": "Whether an equation holds.",
    "MarkColumns": "One entry per mark. `lane` is null if the mark belongs to none.",
    "MarkKind": "What an event states besides text.",
    "MeasuredBy": "Who measured the times of the network reads; `nobody` if there are none.",
    "OddTimes": (
        "Network reads with a missing, negative or contradictory time. No other time is derived"
        " from them."
    ),
    "Pacing": (
        "How evenly the chunks arrived. `held-back` and `single-read`: something on the way"
        " buffered them, so they were sent at other times."
    ),
    "PieceColumns": (
        "One entry for the characters that one event added to one lane. `start_u16` and"
        " `length_u16` count UTF-16 code units. `places` is a position in the tape's `places`."
    ),
    "PreviousAnalysis": (
        "How the analysis before the latest one differs. `omitted` counts changes that"
        " are not listed."
    ),
    "ProviderClock": (
        "A time or speed that the provider states. It is never combined with recorded times."
    ),
    "ReadColumns": (
        "One entry per network read. `at_us` is empty if no times were recorded; `byte_end` is"
        " exclusive."
    ),
    "ReadMember": (
        "One network read: microseconds since the request was sent, and its bytes as text or as"
        " base64."
    ),
    "RedactedCaptures": (
        "What a redaction changed so far. `exports` held old bytes and are gone, `left` are those"
        " that could not be changed."
    ),
    "Redaction": (
        "How many passages rules of the team overwrote, by place and rule. `request_body_was` and"
        " `response_body_was` are keyed hashes of what was there."
    ),
    "RedactionRuleStatus": (
        "A redaction rule. `text` is the name of a preset, a word or a path; null if it is a word"
        " and the key may not change rules. `is_on`: it overwrites in what arrives."
    ),
    "MaskKind": "What a redaction rule is: a preset, a word of the team's own, or a path.",
    "Removal": (
        "How many credentials were removed before the exchange was stored, by place. 0: none was"
        " found."
    ),
    "Repair": "A proposed reading of broken JSON, with its changes. It replaces nothing.",
    "RequestMember": "The request, as far as it is known; its body as text or as base64.",
    "ResponseMember": (
        "The response. Its bytes are exactly one of `body` (text), `body_b64` (base64) and `reads`."
    ),
    "Result": ("What the reader got, beside the verdict, which says how the exchange ended."),
    "SchemaRemark": (
        "A difference between a JSON text, such as arguments, and its schema. `pointer` is a JSON"
        " Pointer into the text."
    ),
    "RetentionForecast": (
        "What a rule would delete if it ran now, less what is pinned or held. `byte_length` is that"
        " of the bodies of responses, 0 for receipts. Where nothing is due yet, `first_due` is when"
        " the first will be."
    ),
    "RetentionRuleStatus": (
        "A retention rule. `clock` is what its days are counted of: `captures` and `bodies` since"
        " the capture arrived, `tombstones`, the receipts of deleted captures, since the deletion."
        " `deleted` counts in all, `ended_at` is the end of the last pass, `error` why that ended"
        " early, and `is_under_way` tells that one is not over."
    ),
    "SchemaRemarkKind": "How arguments differ from the JSON schema of their tool.",
    "SentValue": (
        "A value that was sent in place of what is expected. `text` is a string itself, the JSON of"
        " other scalars, empty for objects and arrays; `is_cut` is true if it was longer."
    ),
    "SentenceClause": "A part of the sentence that explains verdict or result, with its place.",
    "ServiceTier": (
        "The stated service tier. `used` is as sent, text or not; `others` are further values that"
        " were stated."
    ),
    "Severity": (
        "`error`: a conforming client fails or loses data. `warning`: the response breaks a promise"
        " of its format. `info`: worth knowing."
    ),
    "ShareStatus": (
        "A link to a document of a capture, or of several: `capture` is then null, and `captures`"
        " how many it showed when it was made. `state` is `live`, or why it opens nothing:"
        " `maker-gone` if whoever made it may not share any more. `analysis_version` is that of the"
        " reading which the document shows."
    ),
    "Stall": (
        "An unusually long gap between two arrivals of chunks, with the numbers of the network"
        " reads before and after it."
    ),
    "StreamCounts": (
        "Counts of a stream. `arrivals` counts distinct times at which chunks arrived;"
        " `most_together` is the largest number of chunks at one time. Both are 0 without times."
    ),
    "SubmittedAnalysis": (
        "The analysis of the submitted bytes. Values that are very long are cut and listed in"
        " `truncated`."
    ),
    "Tape": (
        "What arrived when, in columns: network reads, events, texts, and the pieces that events"
        " added to them."
    ),
    "Timeline": (
        "Times in microseconds since the request was sent; null if they were not recorded."
    ),
    "TokenInclusion": "Whether one part of more than 0 tokens is inside its whole, and why.",
    "ToolCall": (
        "One tool call; `name` and `arguments_text` of a custom tool are its name and input."
        " `invalid_at` is the position of the first character of `arguments_text` that breaks its"
        " JSON, `invalid_at_byte` the same in UTF-8. `invalid_event` and `invalid_bytes` are its"
        " event and its byte range in the body (end exclusive). `is_offered` is null if the tools"
        " of the request are unknown."
    ),
    "TransportFault": "Why the proxy could not carry a call to its end.",
    "TruncatedValue": (
        "A value that is cut or left out, with its whole length: characters of a text, entries of a"
        " list, tokens of logprobs."
    ),
    "UsageLedgerCost": "A stated amount of money; null and invalid amounts are kept as sent.",
    "UsageLedgerEntry": (
        "One token count with its parts. `wire_name` is the name that was sent, `name` again if it"
        " is the sum of `summands`. `odd` is a value that was sent instead of a count."
    ),
    "UsageLedgerSummand": (
        "One of several counts that were sent and added up, under the name that was sent."
    ),
    "Usage": (
        "Token counts under the names of chat completions; a count that was not sent is absent. A"
        " value that is no whole number of 0 or more stands in `extras`. `places` has the JSON"
        " Pointer inside the usage object of each count that is not at the place that chat"
        " completions have for it. A count that was added up from several is in `sums` instead,"
        " with each summand by its JSON Pointer."
    ),
    "Verdict": "How the exchange ended, whatever its HTTP status.",
    "VoteTally": "Numbers of votes.",
    "Where": (
        "A place in the response: JSON Pointer, event number, byte range (end exclusive). The"
        " pointer leads into the object of `event` or, without one, into the completion; its last"
        " step may name a missing field."
    ),
}
