"""The WSGI entry point of web and API."""

import gc
import os
import sys
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from inspector.web.parent import end_with_parent
from inspector.web.turns import Turns

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "inspector.settings")

end_with_parent()
# Each query of a short request lets go of the GIL, and beside a thread that parses waits so long to
# get it back: by default five times as long.
sys.setswitchinterval(0.001)
# As ``manage.py`` does, for a server that somebody else starts.
os.umask(0o077)
django = get_wsgi_application()
application = Turns(django, settings.WSGI_THREADS, settings.WSGI_THREADS)

# The addresses, and with them the authorisation table, are looked at before the first request.
import_module(settings.ROOT_URLCONF)

# What is loaded by now stays: the collector need not look at all of it again and again.
gc.freeze()
