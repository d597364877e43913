"""All addresses of the API: path, view, and the scope that each method requires. What a method is
called, takes and returns is declared above it (``api.operation``).
"""

from django.urls import URLPattern, path, re_path

from api.addresses import V1
from inspector.teams.access import DELETE, EXPORT, FEEDBACK, INGEST, READ, TELEMETRY
from inspector.teams.authorisation import ANY_SCOPE, ANYBODY, METHODS, AuthMethod, AuthorisationRow
from inspector.teams.lazy_views import LazyView, LazyViews

app_name = "api"

authentication = LazyViews("api.authentication")
batch = LazyViews("api.captures.batch")
bulk = LazyViews("api.captures.bulk")
capture = LazyViews("api.captures.capture")
capture_list = LazyViews("api.captures.capture_list")
docs = LazyViews("api.docs")
exports = LazyViews("api.exports")
files = LazyViews("api.captures.files")
health = LazyViews("api.service.health")
inspection = LazyViews("api.inspection")
metrics = LazyViews("api.metrics")
parts = LazyViews("api.captures.parts")
receipts = LazyViews("api.receipts")
redaction = LazyViews("api.redaction")
retention = LazyViews("api.retention")
root = LazyViews("api.service.root")
sessions = LazyViews("api.sessions")
shares = LazyViews("api.shares")
tokens = LazyViews("api.feedback.tokens")
traces = LazyViews("api.telemetry.traces")
untaken_signals = LazyViews("api.telemetry.untaken_signals")
usage = LazyViews("api.usage")
views = LazyViews("api.views")
vote = LazyViews("api.feedback.vote")
votes = LazyViews("api.feedback.votes")

Address = tuple[URLPattern, AuthorisationRow]


def _row(name: str, auth: AuthMethod, needs: dict[str, str]) -> AuthorisationRow:
    return AuthorisationRow(f"{app_name}:{name}", auth, needs)


def _key(name: str, address: str, view: LazyView, **needs: str) -> Address:
    return path(address, view, name=name), _row(name, AuthMethod.KEY, needs)


def _v1(name: str, address: str, view: LazyView, **needs: str) -> Address:
    return _key(name, f"{V1}{address}", view, **needs)


def _open(
    name: str, address: str, view: LazyView, *methods: str, auth: AuthMethod = AuthMethod.OPEN
) -> Address:
    needs = dict.fromkeys(methods or ("GET",), ANYBODY)
    return path(address, view, name=name), _row(name, auth, needs)


VOTING = ("GET", "POST", "OPTIONS")
"""The last for the CORS preflight."""
ADDRESSES: tuple[Address, ...] = (
    _open("admission", "admission", authentication.admission),
    _open("livez", "livez", health.livez),
    _open("readyz", "readyz", health.readyz),
    _open("metrics", "metrics", metrics.metrics, auth=AuthMethod.OPERATOR),
    _v1("root", "", root.RootEndpoint, GET=ANY_SCOPE),
    _v1("captures", "captures/", capture_list.CaptureListEndpoint, GET=READ, POST=INGEST),
    # Before the pattern of one capture, which would take the words for ids.
    _v1("batch", "captures/batch/", batch.BatchEndpoint, POST=INGEST),
    _v1("file", "captures/file/", files.FileEndpoint, POST=INGEST),
    # Below the kind: who may send such ones may see what became of them.
    _v1("file-upload", "uploads/files/<str:upload>/", files.FileUploadEndpoint, GET=INGEST),
    _v1("bulk", "captures/bulk/", bulk.BulkEndpoint, POST=INGEST),
    _v1("bulk-deletion", "captures/bulk/deletion/", bulk.BulkDeletionEndpoint, POST=DELETE),
    _v1("bulk-redaction", "captures/bulk/redaction/", redaction.BulkRedactionEndpoint, POST=DELETE),
    _v1("bulk-job", "captures/bulk/<str:job>/", bulk.BulkJobEndpoint, GET=READ, DELETE=DELETE),
    _v1("bulk-undo", "captures/bulk/<str:job>/undo/", bulk.BulkUndoEndpoint, POST=INGEST),
    _v1(
        "capture",
        "captures/<str:capture_id>/",
        capture.CaptureEndpoint,
        GET=READ,
        PATCH=INGEST,
        DELETE=DELETE,
    ),
    _v1("raw", "captures/<str:capture_id>/raw/", parts.RawEndpoint, GET=READ),
    _v1("fixture", "captures/<str:capture_id>/fixture/", parts.FixtureEndpoint, GET=READ),
    _v1("completion", "captures/<str:capture_id>/completion/", parts.CompletionEndpoint, GET=READ),
    _v1("timeline", "captures/<str:capture_id>/timeline/", parts.TimelineEndpoint, GET=READ),
    _v1("findings", "captures/<str:capture_id>/findings/", parts.FindingsEndpoint, GET=READ),
    _v1("inspect", "inspect/", inspection.InspectEndpoint, POST=INGEST),
    _v1("exports", "exports/", exports.ExportListEndpoint, GET=EXPORT, POST=EXPORT),
    _v1("export", "exports/<str:export>/", exports.ExportEndpoint, GET=EXPORT, DELETE=EXPORT),
    _v1("export-file", "exports/<str:export>/file/", exports.ExportFileEndpoint, GET=EXPORT),
    _v1(
        "capture-shares",
        "captures/<str:capture_id>/shares/",
        shares.CaptureSharesEndpoint,
        GET=EXPORT,
        POST=EXPORT,
    ),
    _v1("shares", "shares/", shares.ShareListEndpoint, GET=EXPORT, POST=EXPORT),
    _v1("share", "shares/<str:share>/", shares.ShareEndpoint, GET=EXPORT, DELETE=EXPORT),
    _v1(
        "redaction-rules",
        "redaction/rules/",
        redaction.RedactionRuleListEndpoint,
        GET=READ,
        POST=DELETE,
    ),
    _v1(
        "redaction-rule",
        "redaction/rules/<str:redaction>/",
        redaction.RedactionRuleEndpoint,
        GET=READ,
        PATCH=DELETE,
        DELETE=DELETE,
    ),
    _v1("redaction-dry-run", "redaction/dry-run/", redaction.DryRunEndpoint, POST=DELETE),
    _v1("retention-rules", "retention/rules/", retention.RuleListEndpoint, GET=READ, POST=DELETE),
    _v1(
        "retention-rule",
        "retention/rules/<str:rule>/",
        retention.RuleEndpoint,
        GET=READ,
        PATCH=DELETE,
        DELETE=DELETE,
    ),
    _v1("receipts", "receipts/", receipts.ReceiptListEndpoint, GET=READ),
    _v1(
        "feedback-token",
        "captures/<str:capture_id>/choices/<str:choice>/feedback-token/",
        tokens.FeedbackTokenEndpoint,
        POST=FEEDBACK,
        DELETE=FEEDBACK,
    ),
    _v1("feedback", "feedback/", votes.FeedbackListEndpoint, GET=READ),
    _v1("feedback-vote", "feedback/<str:vote>/", votes.FeedbackEndpoint, GET=READ, PATCH=FEEDBACK),
    _open("vote", "v1/feedback", vote.VoteEndpoint, *VOTING),
    _open("vote-of-team", "t/<str:team>/v1/feedback", vote.TeamVoteEndpoint, *VOTING),
    # As exporters append it to the endpoint: without a slash at its end.
    _key("traces", "v1/traces", traces.TracesEndpoint, POST=TELEMETRY),
    _key("otlp-metrics", "v1/metrics", untaken_signals.MetricsEndpoint, POST=TELEMETRY),
    _key("otlp-logs", "v1/logs", untaken_signals.LogsEndpoint, POST=TELEMETRY),
    _v1("span-upload", "uploads/spans/<str:upload>/", traces.SpanUploadEndpoint, GET=TELEMETRY),
    _v1("sessions", "sessions/", sessions.SessionListEndpoint, GET=READ),
    _v1("session", "sessions/<str:session>/", sessions.SessionEndpoint, GET=READ),
    _v1("usage", "usage/", usage.UsageEndpoint, GET=READ),
    _v1("drift", "usage/drift/", usage.DriftEndpoint, GET=READ),
    _v1("prices", "usage/prices/", usage.PricesEndpoint, GET=READ),
    _v1("views", "views/", views.ViewListEndpoint, GET=READ, POST=INGEST),
    _v1("view", "views/<str:view>/", views.ViewEndpoint, DELETE=INGEST),
    _open("schema", "api/schema/", docs.openapi_document),
    _open("docs", "api/docs/", docs.docs_page),
)
NOTHING_HERE = "nothing-here"

urlpatterns = [
    *(pattern for pattern, _ in ADDRESSES),
    # Before any page's pattern and before any redirect to a path with a slash.
    re_path(r"^api(?:/.*)?$", root.not_found_page, name=NOTHING_HERE),
]
ROWS = (
    *(row for _, row in ADDRESSES),
    _row(NOTHING_HERE, AuthMethod.OPEN, dict.fromkeys(METHODS, ANYBODY)),
)
