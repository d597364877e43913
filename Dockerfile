# One image, every program: the command says which (web, worker, sweep, proxy, migrate).

FROM python:3.11-slim-bookworm AS packages
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PYTHONDONTWRITEBYTECODE=1
COPY requirements.lock /tmp/requirements.lock
RUN python -m venv --without-pip /opt/packages \
    && python -m pip --python /opt/packages/bin/python install \
        --require-hashes --no-deps --only-binary :all: -r /tmp/requirements.lock

FROM python:3.11-slim-bookworm
# No compiler and no pip: whoever gets in finds nothing to build with.
RUN python -m pip uninstall --yes pip setuptools wheel \
    && useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin inspector
COPY --from=packages /opt/packages /opt/packages
WORKDIR /srv/inspector
COPY manage.py ./
COPY inspector inspector
COPY api api
COPY templates templates
COPY static static
COPY docs docs
COPY clients clients
ENV PATH=/opt/packages/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    INSPECTOR_BOOTSTRAP=0 \
    INSPECTOR_DATA_DIR=/srv/inspector/var
RUN python manage.py collectstatic --no-input --verbosity 0 --ignore rest_framework \
    # It takes half a minute of a processor: once, where the image is built.
    && python -m whitenoise.compress --quiet var/static \
    && python -m compileall -q inspector api \
    # A volume that is mounted here takes over its owner and mode.
    && install -d -o inspector -m 700 var/proxy-spool var/metrics
USER inspector
EXPOSE 8000
CMD ["python", "manage.py", "web", "--host", "0.0.0.0", "--port", "8000"]
