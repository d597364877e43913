"""Every setting, in one file; what differs between machines is read from the environment.

Names in the environment begin with ``INSPECTOR_``. Limits are named here so that an error can
say which one it hit.
"""

import secrets
import sys
from pathlib import Path
from urllib.parse import urlsplit

from inspector import environment, stack
from inspector.foreign_pages import add_headers

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(environment.text("INSPECTOR_DATA_DIR", str(BASE_DIR / "var"))).absolute()


def kept(name: str) -> str:
    """What the first start wrote into the data directory, empty where there was none yet."""
    try:
        return (DATA_DIR / name).read_text().strip()
    except OSError:
        return ""


# Who is running: web answers requests and must fail fast when the database is busy; worker and
# sweep can wait for it.
ROLE = environment.text("INSPECTOR_ROLE", "sweep" if "sweep" in sys.argv[1:2] else "command")
IS_WEB = ROLE == "web"

# Both are given, or neither: then everything is embedded in the data directory.
DATABASE_URL = environment.secret(stack.DATABASE_URL)
DATABASE_PASSWORD = environment.secret(stack.DATABASE_PASSWORD)
REDIS_URL = environment.secret(stack.REDIS_URL)
if bool(DATABASE_URL) != bool(REDIS_URL):
    missing = stack.REDIS_URL if DATABASE_URL else stack.DATABASE_URL
    raise environment.Mistake(f"{missing} is missing: PostgreSQL and Redis are used together.")
IS_EMBEDDED = not DATABASE_URL


def secret_key() -> str:
    """The environment's key, else the one that the first start wrote, else one for this process.

    The last is for commands that sign nothing, such as ``inspect`` on a machine without archive.
    """
    given = environment.secret("INSPECTOR_SECRET_KEY")
    if not given and not IS_EMBEDDED:
        # Hosts that sign with different keys would not know each other's sessions.
        raise environment.Mistake("INSPECTOR_SECRET_KEY is missing: all hosts must share one.")
    return given or kept("secret_key") or secrets.token_urlsafe(48)


SECRET_KEY = secret_key()
DEBUG = False
# Commands beside a running installation make links to where it was last started.
ORIGIN = environment.origin("INSPECTOR_ORIGIN", kept("origin") or "http://127.0.0.1:8000")
ALLOWED_HOSTS = [
    "localhost",
    "127.0.0.1",
    "[::1]",
    urlsplit(ORIGIN).hostname or "localhost",
    *environment.texts("INSPECTOR_ALLOWED_HOSTS"),
]
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
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "rest_framework",
    "inspector.teams",
    "inspector.archive",
    "inspector.usage",
    "inspector.feedback",
    "inspector.dashboard",
    "inspector.operations",
    "api",
]

MIDDLEWARE = [
    "inspector.request_line.one_line",
    "api.middleware.one_shape",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "inspector.content_policy.BuiltOnce",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "inspector.dashboard.middleware.FormLimit",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
            ],
        },
    }
]

# How many requests one web process answers at once, each by a connection of its own.
WEB_THREADS = 2
DATABASES = {
    "default": stack.sqlite(DATA_DIR / "inspector.sqlite3", is_web=IS_WEB)
    if IS_EMBEDDED
    else stack.postgresql(DATABASE_URL, DATABASE_PASSWORD, is_web=IS_WEB)
}

AUTH_USER_MODEL = "teams.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "dashboard:sign-in"
LOGIN_REDIRECT_URL = "/"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = ORIGIN.startswith("https://")
CSRF_TRUSTED_ORIGINS = [ORIGIN]
if not IS_EMBEDDED:
    # Only nginx reaches web there, and it overwrites what a client says about itself.
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = DATA_DIR / "static"
# Pages of other sites hold the button's script by a name that says no version.
WHITENOISE_ADD_HEADERS_FUNCTION = add_headers
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
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
        "line": {"()": "inspector.logs.Line", "program": ROLE},
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
    },
}

# Opens /metrics; without it there is no such address.
METRICS_KEY = environment.secret("INSPECTOR_METRICS_KEY")

# --- limits -------------------------------------------------------------------------------------
MAX_BODY_BYTES = environment.number("INSPECTOR_MAX_BODY_BYTES", 32 * 1024 * 1024)
# A batch as a whole; each of its lines is a body.
MAX_BATCH_BYTES = environment.number("INSPECTOR_MAX_BATCH_BYTES", 256 * 1024 * 1024)
MAX_BATCH_LINES = 20_000
# Lines that are committed together, and told together if the process dies before.
BATCH_COMMIT_LINES = 100
BATCH_COMMIT_BYTES = 4_000_000
# Larger ones are left to the workers although their sender would wait (``?wait=``).
MAX_WAIT_BYTES = 4 * 1024 * 1024
# Ours is enforced while reading; Django's own would refuse first, in HTML.
DATA_UPLOAD_MAX_MEMORY_SIZE = None

# With less than this left (or a twentieth of a smaller disk) nothing more is taken; what remains is
# for inspecting, for deleting and for signing in.
DISK_FLOOR_BYTES = 1 << 30

# Per key and web process; a burst may use up two seconds' worth at once.
REQUESTS_PER_SECOND: float | None = environment.number("INSPECTOR_REQUESTS_PER_SECOND", 1000)
# Per address, of requests without a key that is in use; a burst of 60.
FAILED_KEYS_PER_SECOND: float | None = 2

# Votes need no key. Per address, with a burst of half a minute's worth; and of a whole team.
VOTES_PER_SECOND: float | None = environment.number("INSPECTOR_VOTES_PER_SECOND", 10)
TEAM_VOTES_PER_SECOND: float | None = environment.number("INSPECTOR_TEAM_VOTES_PER_SECOND", 100)
# Far above any token and comment, so that a token of a megabyte is refused like any other.
MAX_VOTE_BYTES = 2 * 1024 * 1024

# --- work in the background ---------------------------------------------------------------------
BROKER_DIR = DATA_DIR / "broker"
BROKER = stack.folder(BROKER_DIR) if IS_EMBEDDED else stack.redis(REDIS_URL)
LEASE_SECONDS = 60
TASK_TIME_LIMIT_SECONDS = 40
# A ring is answered by claims that begin within this time, and of a claim nothing is begun later
# than this: the other half of the time limit is for the reading that was begun last.
DRAIN_SECONDS = 10
# What reading one capture may take beside what its process has: most take a few times their size,
# a hostile one of 32 MiB takes 1.6 GiB.
WORK_MEMORY_BYTES = 1024**3
MAX_ATTEMPTS = 3
RETRY_WAITS_SECONDS = (5, 30)
CLAIM_ROWS = 100
CLAIM_BYTES = 4_000_000
SWEEP_EVERY_SECONDS = 5
# Plain functions (dotted paths) that must change together with an inspection or a deletion;
# called inside its transaction, once, with the rows of each capture before and after.
PROJECTIONS = ["inspector.usage.projection.count", "inspector.feedback.following.follow"]
# A plain function (dotted path): where costs are kept, and what lists are narrowed by of them.
COSTS = "inspector.usage.narrowing.costs"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["api.authentication.KeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["api.authentication.AsksTable"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "api.negotiation.AlwaysJSON",
    "DEFAULT_METADATA_CLASS": None,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": [],
    "EXCEPTION_HANDLER": "api.errors.answer",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Response Inspector",
    "DESCRIPTION": "Keeps LLM completion responses byte for byte, takes them apart, checks them.",
    "VERSION": "v1",
    "OAS_VERSION": "3.1.1",
    "SERVERS": [{"url": ORIGIN}],
    "POSTPROCESSING_HOOKS": ["api.openapi.document.complete"],
    "SERVE_INCLUDE_SCHEMA": False,
}

environment.refuse_unknown()
