# An image that answers `isogloss align` with nothing to compile; see docs/howto/install.md.
FROM python:3.13-slim AS build
COPY . /src
RUN pip install --no-cache-dir build && python -m build --wheel --outdir /dist /src
RUN python -m venv /opt/isogloss && /opt/isogloss/bin/pip install --no-cache-dir "$(ls /dist/*.whl)[kernels]"

FROM python:3.13-slim
COPY --from=build /opt/isogloss /opt/isogloss
ENV PATH="/opt/isogloss/bin:$PATH"
RUN isogloss doctor --installation
WORKDIR /data
ENTRYPOINT ["isogloss"]
