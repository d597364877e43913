"""Every setting, in one file; what differs between machines is read from the environment.

Names in the environment begin with ``INSPECTOR_``. Limits are named here so that an error can
say which one it hit.
"""

import secrets
import sys
from pathlib import Path
from urllib.parse import urlsplit

from inspector import installation
from inspector.configuration import environment, stack
from inspector.logs.line_stream import write_lines_only
from inspector.web.static_headers import add_static_headers

BASE_DIR = installation.ROOT
DATA_DIR = Path(
    environment.text("INSPECTOR_DATA_DIR", str(installation.default_data_dir()))
).absolute()


def data_file_text(name: str) -> str:
    """Read a file that the first start wrote into the data directory; empty if there is none."""
    try:
        return (DATA_DIR / name).read_text().strip()
    except OSError:
        return ""


# Who is running: web answers requests and must fail fast when the database is busy; worker, sweep
# and the proxy's recorder can wait for it.
_commanded = sys.argv[1] if sys.argv[1:2] in (["sweep"], ["worker"]) else "command"
ROLE = environment.text("INSPECTOR_ROLE", _commanded)
IS_WEB = ROLE == "web"

# Both are given, or neither: then everything is embedded in the data directory.
DATABASE_URL = environment.secret(stack.DATABASE_URL)
DATABASE_PASSWORD = environment.secret(stack.DATABASE_PASSWORD)
REDIS_URL = environment.secret(stack.REDIS_URL)
if bool(DATABASE_URL) != bool(REDIS_URL):
    missing = stack.REDIS_URL if DATABASE_URL else stack.DATABASE_URL
    raise environment.EnvironmentMistake(
        f"{missing} is missing: PostgreSQL and Redis are used together."
    )
IS_EMBEDDED = not DATABASE_URL


MIN_SECRET_KEY_CHARACTERS = 32
"""Characters of the key: its finder signs what they like; a shorter one may be found by trying."""


def secret_key() -> str:
    """Return the environment's key, else the one that the first start wrote, else one for this
    process.

    The last is for commands that sign nothing, such as ``inspect`` on a machine without archive.
    """
    given = environment.secret("INSPECTOR_SECRET_KEY")
    if not given and not IS_EMBEDDED:
        # Hosts that sign with different keys would not know each other's sessions.
        raise environment.EnvironmentMistake(
            "INSPECTOR_SECRET_KEY is missing: all hosts must share one."
        )
    if given and len(given) < MIN_SECRET_KEY_CHARACTERS:
        raise environment.EnvironmentMistake(
            f"INSPECTOR_SECRET_KEY is shorter than {MIN_SECRET_KEY_CHARACTERS} characters;"
            " openssl rand -base64 48 makes a good one."
        )
    return given or data_file_text("secret_key") or secrets.token_urlsafe(48)


SECRET_KEY = secret_key()
DEBUG = False
# Commands beside a running installation make links to where it was last started.
ORIGIN = environment.origin("INSPECTOR_ORIGIN", data_file_text("origin") or "http://127.0.0.1:8000")
# Where clients reach the capturing proxy: with nginx in front at the same address, else at a port
# of its own. Empty where no proxy was started.
PROXY_ORIGIN = environment.origin(
    "INSPECTOR_PROXY_ORIGIN", data_file_text("proxy_origin") if IS_EMBEDDED else ORIGIN
)
ALLOWED_HOSTS = [
    "localhost",
    "127.0.0.1",
    "[::1]",
    urlsplit(ORIGIN).hostname or "localhost",
    *environment.texts("INSPECTOR_ALLOWED_HOSTS"),
]
IS_HTTPS = ORIGIN.startswith("https://")
# Whose word about their clients is believed; behind nginx it is nginx that is told.
TRUSTED_PROXIES = environment.networks("INSPECTOR_TRUSTED_PROXIES")
if TRUSTED_PROXIES and not IS_EMBEDDED:
    raise environment.EnvironmentMistake(
        "INSPECTOR_TRUSTED_PROXIES is for the embedded stack; here nginx is told, in listen.conf."
    )
ROOT_URLCONF = "inspector.urls"
WSGI_APPLICATION = "inspector.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
USE_I18N = False

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "csp",
    "django_htmx",
    "drf_spectacular_sidecar",
    "rest_framework",
    "inspector.teams",
    "inspector.work",
    "inspector.archive",
    # In the order in which they are told of captures and lock rows of theirs (``archive.events``).
    "inspector.usage",
    "inspector.feedback",
    "inspector.search",
    "inspector.telemetry",
    "inspector.transfer",
    "inspector.sharing",
    "inspector.sessions.apps.SessionsConfig",
    "inspector.dashboard",
    "inspector.operations",
    "api",
]

MIDDLEWARE = [
    "inspector.web.client_address.client_address_middleware",
    "inspector.web.cache_headers.no_store_by_default",
    "inspector.dashboard.middleware.tell_nobody_of_links",
    "inspector.logs.access_log.access_log_middleware",
    "api.middleware.json_errors",
    "api.middleware.limit_time",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "inspector.web.content_policy.PrebuiltPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "inspector.dashboard.middleware.FormLimit",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "inspector.dashboard.middleware.end_idle_sessions",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "inspector.dashboard.middleware.NotReadMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [installation.RESOURCES / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
            ],
        },
    }
]

# How many requests one web process works on at once, each by a connection of its own; half of them
# for uploads of one team (``turns``).
WEB_TURNS = 2
# The others wait for large bodies of their clients, more of them than ``patience`` has places.
# Behind nginx, which takes a request whole first, there is nothing to wait for (``rsgi``).
WEB_THREADS = 64
# There a thread works or waits for a reader, and most of them may do the latter (READING_PLACES).
WSGI_THREADS = 8
DATABASES = {
    "default": stack.sqlite(DATA_DIR / "inspector.sqlite3", is_web=IS_WEB)
    if IS_EMBEDDED
    else stack.postgresql(DATABASE_URL, DATABASE_PASSWORD, is_web=IS_WEB)
}

AUTH_USER_MODEL = "teams.User"
AUTHENTICATION_BACKENDS = ["inspector.teams.session_backend.SessionBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
] + [{"NAME": "inspector.teams.passwords.NotMadeOfNameValidator"}]
LOGIN_URL = "dashboard:sign-in"
LOGIN_REDIRECT_URL = "/"
# Installations at other ports of this host are sent the same cookies, and would overwrite them. By
# https a browser keeps a name that begins so for this host and path alone.
COOKIES = "__Host-inspector_" if IS_HTTPS else f"inspector_{urlsplit(ORIGIN).port or 80}_"
SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = f"{COOKIES}session", f"{COOKIES}csrf"
BROWSER_COOKIE_NAME = f"{COOKIES}browser"
# Of a session, from its sign-in and from its last use.
SESSION_COOKIE_AGE = 14 * 24 * 3600
SESSION_IDLE_SECONDS = 4 * 24 * 3600
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = IS_HTTPS
CSRF_TRUSTED_ORIGINS = [ORIGIN]
if TRUSTED_PROXIES or not IS_EMBEDDED:
    # What is left of this header is believed (``peers``). Without a proxy that says it, nothing
    # here would know that a request came by https.
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = IS_HTTPS
    SECURE_SSL_HOST = urlsplit(ORIGIN).netloc
    # Asked from inside, without TLS, by what would take a redirect for an answer.
    SECURE_REDIRECT_EXEMPT = ["^(livez|readyz|metrics|admission|mcp)$", "^api/", "^(t/[^/]+/)?v1/"]
    SECURE_HSTS_SECONDS = 365 * 24 * 3600 if IS_HTTPS else 0

STATIC_URL = "/static/"
STATICFILES_DIRS = [installation.RESOURCES / "static"]
DOCS_DIR = installation.RESOURCES / "docs"
STATIC_ROOT = DATA_DIR / "static"
# Pages of other sites hold the button's script by a name that says no version.
WHITENOISE_ADD_HEADERS_FUNCTION = add_static_headers
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "inspector.web.page_files.PageFileStorage"},
}

# --- what a page may do -------------------------------------------------------------------------
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'"],
        "font-src": ["'self'"],
        "media-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
    }
}
SECURE_CONTENT_TYPE_NOSNIFF = True
# With no-referrer browsers send forms with "Origin: null", which no origin check can accept.
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

# --- what is written down ------------------------------------------------------------------------
# Unless told, Django mails errors to administrators and prints nothing. Programs write JSON lines;
# a command is read by whoever typed it.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"},
        "line": {"()": "inspector.logs.json_log.JsonLogFormatter", "program": ROLE},
    },
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": "text" if ROLE == "command" else "line",
        }
    },
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "inspector": {"level": "WARNING" if ROLE == "command" else "INFO"},
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        # What a client did wrong is told to the client.
        "django.request": {"level": "ERROR"},
        "django.security.DisallowedHost": {"level": "CRITICAL"},
        # What a collector answers, and when it is asked again, is logged by our own export.
        "opentelemetry.exporter.otlp.proto.http": {"level": "CRITICAL"},
    },
}

# Opens /metrics; without it there is no such address.
METRICS_KEY = environment.secret("INSPECTOR_METRICS_KEY")
# A collector of OpenTelemetry that gets spans and metrics, under the names that its SDKs have for
# it. Texts of answers go out only where that is said.
OTLP_ENDPOINT = environment.endpoint("OTEL_EXPORTER_OTLP_ENDPOINT")
OTLP_HEADERS = environment.pairs("OTEL_EXPORTER_OTLP_HEADERS")
OTLP_WITH_TEXTS = environment.flag("INSPECTOR_OTLP_TEXTS")

# --- limits -------------------------------------------------------------------------------------
# Of a body as it is decoded, or a line of a batch; so much of a response the proxy keeps.
MAX_BODY_BYTES = environment.number("INSPECTOR_MAX_BODY_BYTES", 32 * 1024 * 1024)
# A batch as a whole; each of its lines is a body.
MAX_BATCH_BYTES = environment.number("INSPECTOR_MAX_BATCH_BYTES", 256 * 1024 * 1024)
# Also entries of a file: each becomes a row, however short it is.
MAX_BATCH_LINES = 20_000
# Lines that are committed together, and told together if the process dies before.
BATCH_COMMIT_LINES = 100
BATCH_COMMIT_BYTES = 4_000_000
# Larger ones are left to the workers although their sender would wait (``?wait=``), and are not
# inspected without being stored.
MAX_WAIT_BYTES = 4 * 1024 * 1024
# Ours is enforced while reading; Django's own would refuse first, in HTML.
DATA_UPLOAD_MAX_MEMORY_SIZE = None

# What web reads because somebody waits for it. Up to so many bytes in its own process, where the
# worst took 0.1 s and 12 MB; what is larger, or is coded, in a reader: a process that can be ended.
SMALL_READING_BYTES = 16 * 1024
# Requests that read there or wait; two of WSGI_THREADS go on with others.
READING_PLACES = 6
# Then 503: a longer wait would hold a thread for nothing.
READER_WAIT_SECONDS = 2
# Of one reading, by the clock; of the processor; and of memory: each web process has a reader.
READING_SECONDS = 20
READING_CPU_SECONDS = 10
READING_MEMORY_BYTES = 512 * 1024**2
# Of memory that what was read takes in web, and of JSON that is answered for it.
READING_RESULT_BYTES = 128 * 1024**2
MAX_ANSWER_BYTES = 16 * 1024**2
# Per key or person and web process; what was not used in sixteen seconds may be used at once.
READ_BYTES_PER_SECOND: int | None = environment.number(
    "INSPECTOR_READ_BYTES_PER_SECOND", 4 * 1024**2
)
# An upload that is not taken apart by then is refused: web does nothing else for its sender.
PARSE_SECONDS = 3
# A page that is not drawn by then is answered with 503 instead.
PAGE_SECONDS = 30

# --- the capturing proxy --------------------------------------------------------------------------
# Of a response, MAX_BODY_BYTES are kept; what is longer is forwarded all the same.
PROXY_REQUEST_BYTES = 4 * 1024 * 1024
# A lost SYN is sent again after 1, 3 and 7 seconds; what takes longer is no upstream.
PROXY_CONNECT_SECONDS = 10
# Until the answer begins: a model may think for minutes before its first byte.
PROXY_FIRST_BYTE_SECONDS = 600
# Between two reads of an answer.
PROXY_IDLE_SECONDS = environment.number("INSPECTOR_PROXY_IDLE_SECONDS", 300)
# What open calls get when the proxy is asked to end.
PROXY_DRAIN_SECONDS = 25
# What its recorder gets after that, to store what they brought; the rest stays in the spool.
PROXY_RECORDER_SECONDS = 20
# Networks of upstreams beside the public ones: those of the operator's own models.
PROXY_NETWORKS = environment.networks("INSPECTOR_PROXY_NETWORKS")
# Of each proxy, on disk: calls that are not in the database yet. What is beyond it is forwarded and
# counted as missed.
PROXY_SPOOL_BYTES = environment.number("INSPECTOR_PROXY_SPOOL_BYTES", 1 << 30)

# With less than this left (or a twentieth of a smaller disk) nothing more is taken; what remains is
# for inspecting, for deleting and for signing in.
DISK_FLOOR_BYTES = 1 << 30

# To be ready means that a write was committed; nobody can ask for more writes than this makes.
READINESS_SECONDS = 1.0

# Per key and web process; a burst may use up two seconds' worth at once.
REQUESTS_PER_SECOND: float | None = environment.number("INSPECTOR_REQUESTS_PER_SECOND", 1000)
# Per address, of requests without a key that is in use; a burst of 60.
FAILED_KEYS_PER_SECOND: float | None = 2

# Votes need no key. Per address, with a burst of half a minute's worth; and of a whole team.
VOTES_PER_SECOND: float | None = environment.number("INSPECTOR_VOTES_PER_SECOND", 10)
TEAM_VOTES_PER_SECOND: float | None = environment.number("INSPECTOR_TEAM_VOTES_PER_SECOND", 100)
# Far above any token and comment, so that a token of a megabyte is refused like any other.
MAX_VOTE_BYTES = 2 * 1024 * 1024

# Links need no account. Per address, with a burst of half a minute's worth.
SHARES_PER_SECOND: float | None = 2

# --- work in the background ---------------------------------------------------------------------
# Wakes the worker of the embedded stack; elsewhere Celery does.
BELL = DATA_DIR / "bell"
BROKER = {} if IS_EMBEDDED else stack.redis(REDIS_URL)
# Longer than the time limit below: whoever works is never taken for dead, and renews nothing.
LEASE_SECONDS = 60
# A recorder renews it for every capture that it still records. Whoever has none for so long is
# waited for once more, for as long as a recorder takes to find a database that is back.
RECORDING_LEASE_SECONDS = 60
RECORDING_GRACE_SECONDS = 45
TASK_TIME_LIMIT_SECONDS = 40
# A ring is answered by claims that begin within this time, or while a slow reading lasts.
DRAIN_SECONDS = 10
# Of a claim, nothing is begun later than this.
CLAIM_SECONDS = 3
# What reading one capture may take beside what its process has: most take a few times their size,
# a hostile one of 32 MiB takes 1.6 GiB.
WORK_MEMORY_BYTES = 1024**3
# Then it is quarantined: what ends its process would end workers for ever. Between attempts a
# restart may be over, or a database back.
MAX_ATTEMPTS = 3
RETRY_WAITS_SECONDS = (5, 30)
# Of the processor, in the first attempt at a reading, within which 7 MB of a stream are read; less
# for a team of which something took longer within a minute. What takes longer, or was begun before
# and not finished, is read by a process of its own, one such in the whole installation at a time.
QUICK_READING_SECONDS = 0.1
QUICKEST_READING_SECONDS = 0.02
# Longer ones take more than that, partly where nothing can be ended: they go there at once.
QUICK_BYTES = 4_000_000
QUICKEST_BYTES = 800_000
# Of the processor and by the clock, else the attempt failed; with the time in which it may begin,
# the latter is less than the time limit.
SLOW_READING_CPU_SECONDS = 15
SLOW_READING_SECONDS = 25
# Of one claim, which a kill loses and another worker reads again.
CLAIM_ROWS = 100
CLAIM_BYTES = 4_000_000
# So long a capture waits that no doorbell announced.
SWEEP_EVERY_SECONDS = 5

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["api.authentication.KeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["api.authentication.HasRequiredScope"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "api.negotiation.AlwaysJSON",
    "DEFAULT_METADATA_CLASS": "api.negotiation.MethodsOnly",
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": [],
    "EXCEPTION_HANDLER": "api.exception_handler.handle_exception",
    "UNAUTHENTICATED_USER": None,
}

environment.require_known_variables()

# Last, so that a mistake in the environment is told to whoever starts a program in plain words.
if ROLE != "command":
    write_lines_only(ROLE)
