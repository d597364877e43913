"""The views of all endpoints. Paths and scopes are declared in ``api.operations``."""

from django.urls import URLPattern, path, re_path

from api.operations import captures as of_captures
from api.operations import exports as of_exports
from api.operations import feedback as of_feedback
from api.operations import receipts as of_receipts
from api.operations import redaction as of_redaction
from api.operations import retention as of_retention
from api.operations import service as of_service
from api.operations import sessions as of_sessions
from api.operations import shares as of_shares
from api.operations import telemetry as of_telemetry
from api.operations import usage as of_usage
from api.operations import views as of_views
from api.operations.operation import Endpoint
from inspector.teams.lazy_views import LazyView, LazyViews

authentication = LazyViews("api.authentication")
batch = LazyViews("api.batch")
bulk = LazyViews("api.bulk")
captures = LazyViews("api.captures")
docs = LazyViews("api.docs")
exports = LazyViews("api.exports")
feedback = LazyViews("api.feedback")
files = LazyViews("api.files")
health = LazyViews("api.health")
metrics = LazyViews("api.metrics")
receipts = LazyViews("api.receipts")
redaction = LazyViews("api.redaction")
retention = LazyViews("api.retention")
root = LazyViews("api.root")
sessions = LazyViews("api.sessions")
shares = LazyViews("api.shares")
traces = LazyViews("api.traces")
untaken_signals = LazyViews("api.untaken_signals")
uploads = LazyViews("api.uploads")
usage = LazyViews("api.usage")
views = LazyViews("api.views")
vote = LazyViews("api.vote")

app_name = "api"


def route(endpoint: Endpoint, view: LazyView) -> URLPattern:
    return path(endpoint.path, view, name=endpoint.name)


urlpatterns = [
    route(of_service.ADMISSION, authentication.admission),
    route(of_service.LIVEZ, health.livez),
    route(of_service.READYZ, health.readyz),
    route(of_service.METRICS, metrics.metrics),
    route(of_service.ROOT, root.RootEndpoint),
    route(of_captures.CAPTURES, captures.CaptureListEndpoint),
    # Before the pattern of one capture, which would take the words for ids.
    route(of_captures.BATCH, batch.BatchEndpoint),
    route(of_captures.FILE, files.FileEndpoint),
    route(of_captures.FILE_UPLOAD, uploads.FileUploadEndpoint),
    route(of_captures.BULK, bulk.BulkEndpoint),
    route(of_captures.BULK_DELETION, bulk.BulkDeletionEndpoint),
    route(of_redaction.BULK_REDACTION, redaction.BulkRedactionEndpoint),
    route(of_captures.BULK_JOB, bulk.BulkJobEndpoint),
    route(of_captures.BULK_UNDO, bulk.BulkUndoEndpoint),
    route(of_captures.CAPTURE, captures.CaptureEndpoint),
    route(of_captures.RAW, captures.RawEndpoint),
    route(of_captures.FIXTURE, captures.FixtureEndpoint),
    route(of_captures.COMPLETION, captures.CompletionEndpoint),
    route(of_captures.TIMELINE, captures.TimelineEndpoint),
    route(of_captures.FINDINGS, captures.FindingsEndpoint),
    route(of_captures.INSPECT, captures.InspectEndpoint),
    route(of_exports.EXPORTS, exports.ExportListEndpoint),
    route(of_exports.EXPORT_ONE, exports.ExportEndpoint),
    route(of_exports.EXPORT_FILE, exports.ExportFileEndpoint),
    route(of_shares.CAPTURE_SHARES, shares.CaptureSharesEndpoint),
    route(of_shares.SHARES, shares.ShareListEndpoint),
    route(of_shares.SHARE, shares.ShareEndpoint),
    route(of_redaction.RULES, redaction.RedactionRuleListEndpoint),
    route(of_redaction.RULE, redaction.RedactionRuleEndpoint),
    route(of_redaction.DRY_RUN, redaction.DryRunEndpoint),
    route(of_retention.RULES, retention.RuleListEndpoint),
    route(of_retention.RULE, retention.RuleEndpoint),
    route(of_receipts.RECEIPTS, receipts.ReceiptListEndpoint),
    route(of_feedback.TOKEN, feedback.FeedbackTokenEndpoint),
    route(of_feedback.FEEDBACK, feedback.FeedbackListEndpoint),
    route(of_feedback.FEEDBACK_VOTE, feedback.FeedbackEndpoint),
    route(of_feedback.VOTE, vote.VoteEndpoint),
    route(of_feedback.TEAM_VOTE, vote.TeamVoteEndpoint),
    route(of_telemetry.TRACES, traces.TracesEndpoint),
    route(of_telemetry.METRICS, untaken_signals.MetricsEndpoint),
    route(of_telemetry.LOGS, untaken_signals.LogsEndpoint),
    route(of_telemetry.SPAN_UPLOAD, uploads.SpanUploadEndpoint),
    route(of_sessions.SESSIONS, sessions.SessionListEndpoint),
    route(of_sessions.SESSION, sessions.SessionEndpoint),
    route(of_usage.USAGE, usage.UsageEndpoint),
    route(of_usage.DRIFT, usage.DriftEndpoint),
    route(of_usage.PRICES, usage.PricesEndpoint),
    route(of_views.VIEWS, views.ViewListEndpoint),
    route(of_views.VIEW, views.ViewEndpoint),
    route(of_service.SCHEMA, docs.openapi_document),
    route(of_service.DOCS, docs.docs_page),
    # Before any page's pattern and before any redirect to a path with a slash.
    re_path(of_service.NOTHING_HERE.path, root.not_found_page, name=of_service.NOTHING_HERE.name),
]
