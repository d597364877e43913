"""Captures: stored, listed, returned in parts, annotated, deleted; and responses only analysed."""

from typing import Any

from api.operations.filter_parameters import filter_parameters
from api.operations.operation import (
    CAPTURE_ID,
    JSON,
    NDJSON,
    OCTETS,
    TEXT,
    BodyType,
    Operation,
    Parameter,
    ResponseBody,
    get,
    header,
    in_path,
    limit,
    single,
    v1,
)
from api.schemas.bulk import BulkDeletionRequest, BulkRequest
from api.schemas.captures import (
    AcceptedCapture,
    AnnotationChanges,
    BatchLineResult,
    CaptureDetail,
    CaptureFindings,
    CaptureListBody,
    StoredAnnotation,
    StoredFile,
)
from inspector.archive.background.bulk_jobs import BulkJobStatus
from inspector.archive.deletion import DeletionReceipt
from inspector.archive.intake.exchange_envelope import (
    IDEMPOTENCY_KEY_CHARACTERS,
    MEDIA_TYPE,
    Envelope,
)
from inspector.archive.intake.limits import MAX_TAGS, NOTE_CHARACTERS, TAG_CHARACTERS
from inspector.archive.intake.wait_for_inspection import MAX_WAIT_SECONDS
from inspector.archive.listing.capture_fields import CAPTURE_FIELDS
from inspector.archive.listing.sort import NEWEST_FIRST, Sort, SortKey
from inspector.archive.queries import MAX_PAGE_ROWS
from inspector.archive.readers.response_json import SubmittedAnalysis
from inspector.core.tape import Tape
from inspector.teams.access import DELETE, INGEST, READ
from inspector.transfer.fixtures.registry import KINDS
from inspector.transfer.uploads.parked import UploadStatus

TAG, INSPECTION_TAG = "captures", "inspection"
TAG_TEXTS = {
    TAG: "Store, list and read captures",
    INSPECTION_TAG: "Analyse a response without storing it",
}
TAGS = Parameter(
    "tag", f"up to {MAX_TAGS} tags of 1 to {TAG_CHARACTERS} characters", is_repeatable=True
)
NOTE = Parameter("note", f"up to {NOTE_CHARACTERS:,} characters")
DIALECT = single(
    "dialect",
    "wire format to read the body in, instead of detecting it",
    CAPTURE_FIELDS.allowed_values("dialect"),
)
JOB_ID = in_path("job", "id of the bulk job")
SORTS = [str(Sort(key, is_descending=down)) for key in SortKey for down in (True, False)]
SORT_DESCRIPTION = (
    f"order of the list, {NEWEST_FIRST} by default; with - the largest first. Captures without the "
    "value come last, newest first"
)
CONTENT_ENCODING = header("Content-Encoding", "gzip, deflate or zstd; decoded before storing")
# A body of any other content type is stored as it is.
EXCHANGE: dict[str, BodyType] = {MEDIA_TYPE: Envelope, OCTETS: bytes}


def _get(
    name: str,
    summary: str,
    body: ResponseBody,
    *errors: int,
    parameters: tuple[Parameter, ...] = (),
) -> Operation:
    """Return a GET of one capture or of a part of it."""
    return get(name, READ, summary, body, CAPTURE_ID, *parameters, errors=(404, *errors))


CAPTURES = v1(
    "captures",
    "captures/",
    TAG,
    get(
        "list_captures",
        READ,
        "list captures, newest first or sorted",
        ResponseBody("one page", CaptureListBody),
        Parameter("cursor", "`next_cursor` of a page: the captures that follow in the list"),
        Parameter("sort", SORT_DESCRIPTION, enum=tuple(SORTS)),
        Parameter(
            "after",
            "`latest_cursor` of a page: captures newer than this, the nearest to it",
        ),
        limit(MAX_PAGE_ROWS),
        *filter_parameters(CAPTURE_FIELDS),
    ),
    Operation(
        "POST",
        "create_capture",
        INGEST,
        "store a response: its bytes as they are, or one exchange envelope",
        {
            200: ResponseBody("already stored (a resend), or inspected now", AcceptedCapture),
            202: ResponseBody("stored, to be inspected", AcceptedCapture),
        },
        errors=(409,),
        parameters=(
            TAGS,
            NOTE,
            DIALECT,
            Parameter(
                "wait",
                f"inspect now, and wait up to this many seconds, at most {MAX_WAIT_SECONDS}",
                schema={"type": "integer", "minimum": 1},
            ),
            header(
                "Idempotency-Key",
                f"1 to {IDEMPOTENCY_KEY_CHARACTERS} characters; a resend with the same key is"
                " not stored again",
            ),
            CONTENT_ENCODING,
        ),
        body=EXCHANGE,
    ),
)
BATCH = v1(
    "batch",
    "captures/batch/",
    TAG,
    Operation(
        "POST",
        "create_capture_batch",
        INGEST,
        "store several responses: one envelope per line, one result per line",
        {200: ResponseBody("results in the order of the lines", BatchLineResult, (NDJSON,))},
        parameters=(TAGS, NOTE, DIALECT, CONTENT_ENCODING),
        # Lines, too: few generators of clients know the first.
        body={NDJSON: Envelope, OCTETS: bytes},
    ),
)
FILE = v1(
    "file",
    "captures/file/",
    TAG,
    Operation(
        "POST",
        "create_captures_of_file",
        INGEST,
        "store the answers in a file of another program: HAR, outputs of batches, JSONL, "
        "cassettes, flows, logs. What is sent twice is stored once",
        {
            200: ResponseBody("what became of each entry", StoredFile),
            202: ResponseBody("kept, to be cut into captures", UploadStatus),
        },
        parameters=(TAGS, NOTE, DIALECT, CONTENT_ENCODING),
        body={OCTETS: bytes},
    ),
)
FILE_UPLOAD = v1(
    "file-upload",
    # Below the kind: who may send such ones may see what became of them.
    "uploads/files/<str:upload>/",
    TAG,
    get(
        "show_file_upload",
        INGEST,
        "get what became of the entries of a file that is cut into captures later",
        ResponseBody("the upload", UploadStatus),
        in_path("upload", "id of the upload"),
        errors=(404,),
    ),
)
CAPTURE = v1(
    "capture",
    "captures/<str:capture_id>/",
    TAG,
    _get(
        "show_capture",
        "get a capture",
        ResponseBody("the capture with its analysis", CaptureDetail),
    ),
    Operation(
        "PATCH",
        "annotate_capture",
        INGEST,
        "replace the tags or the note",
        {200: ResponseBody("tags and note as stored now", StoredAnnotation)},
        errors=(404, 412),
        parameters=(
            CAPTURE_ID,
            header("If-Match", "ETag: change the capture only if it is current"),
        ),
        body={JSON: AnnotationChanges},
    ),
    Operation(
        "DELETE",
        "delete_capture",
        DELETE,
        "delete the content at once and keep a receipt",
        {200: ResponseBody("the receipt", DeletionReceipt)},
        errors=(404, 409),
        parameters=(CAPTURE_ID,),
    ),
)
RAW = v1(
    "raw",
    "captures/<str:capture_id>/raw/",
    TAG,
    _get(
        "download_capture",
        "download the exact bytes",
        ResponseBody("the exact bytes", bytes, (TEXT, OCTETS)),
    ),
)
FIXTURE = v1(
    "fixture",
    "captures/<str:capture_id>/fixture/",
    TAG,
    _get(
        "download_capture_fixture",
        "get the capture as a file for tests",
        ResponseBody("the file", bytes, (TEXT, JSON)),
        parameters=(Parameter("kind", "what to make", enum=tuple(KINDS), is_required=True),),
    ),
)
COMPLETION = v1(
    "completion",
    "captures/<str:capture_id>/completion/",
    TAG,
    _get(
        "show_capture_completion",
        "get the assembled completion object",
        ResponseBody("the object in the non-streamed shape of its format", dict[str, Any]),
        409,
        413,
    ),
)
TIMELINE = v1(
    "timeline",
    "captures/<str:capture_id>/timeline/",
    TAG,
    _get(
        "show_capture_timeline",
        "get the tape: reads, events, lanes, pieces",
        ResponseBody("the tape", Tape),
        409,
        413,
    ),
)
FINDINGS = v1(
    "findings",
    "captures/<str:capture_id>/findings/",
    TAG,
    _get(
        "show_capture_findings",
        "list the findings",
        ResponseBody("the findings", CaptureFindings),
        409,
        413,
    ),
)
BULK = v1(
    "bulk",
    "captures/bulk/",
    TAG,
    Operation(
        "POST",
        "change_captures",
        INGEST,
        "tag or untag all captures of a query, in the background",
        {202: ResponseBody("requested", BulkJobStatus)},
        errors=(429,),
        parameters=tuple(filter_parameters(CAPTURE_FIELDS)),
        body={JSON: BulkRequest},
    ),
)
BULK_DELETION = v1(
    "bulk-deletion",
    "captures/bulk/deletion/",
    TAG,
    Operation(
        "POST",
        "delete_captures",
        DELETE,
        "delete all captures of a query for good, in the background",
        {202: ResponseBody("requested", BulkJobStatus)},
        errors=(409, 429),
        parameters=tuple(filter_parameters(CAPTURE_FIELDS)),
        body={JSON: BulkDeletionRequest},
    ),
)
BULK_JOB = v1(
    "bulk-job",
    "captures/bulk/<str:job>/",
    TAG,
    get(
        "show_bulk_job",
        READ,
        "get how far a bulk job is",
        ResponseBody("the job", BulkJobStatus),
        JOB_ID,
        errors=(404,),
    ),
    Operation(
        "DELETE",
        "stop_bulk_job",
        DELETE,
        "stop a bulk job; what it did by then stays so",
        {200: ResponseBody("the job", BulkJobStatus)},
        errors=(404,),
        parameters=(JOB_ID,),
    ),
)
BULK_UNDO = v1(
    "bulk-undo",
    "captures/bulk/<str:job>/undo/",
    TAG,
    Operation(
        "POST",
        "undo_bulk_job",
        INGEST,
        "take back what a bulk job changed, in the background; a deletion or redaction is"
        " only stopped",
        {202: ResponseBody("the job that undoes it", BulkJobStatus)},
        errors=(404, 429),
        parameters=(JOB_ID,),
    ),
)
INSPECT = v1(
    "inspect",
    "inspect/",
    INSPECTION_TAG,
    Operation(
        "POST",
        "inspect",
        INGEST,
        "analyse a response without storing it",
        {200: ResponseBody("the analysis", SubmittedAnalysis)},
        parameters=(
            DIALECT,
            Parameter(
                "part",
                "of a text with several responses read this one, from 1",
                schema={"type": "integer", "minimum": 1},
            ),
            CONTENT_ENCODING,
        ),
        body=EXCHANGE,
    ),
)
ENDPOINTS = (
    CAPTURES,
    BATCH,
    FILE,
    FILE_UPLOAD,
    BULK,
    BULK_DELETION,
    BULK_JOB,
    BULK_UNDO,
    CAPTURE,
    RAW,
    FIXTURE,
    COMPLETION,
    TIMELINE,
    FINDINGS,
    INSPECT,
)
