# syntax=docker/dockerfile:1
# Countersign on Node. `docker build .` makes the server; `--target quickstart` makes what compose.yaml starts for trying out.
# docs/operations/container.md says how to run it. For builds that never change, give digests: --build-arg BUILD_IMAGE=…@sha256:…
ARG BUILD_IMAGE=docker.io/library/node:24-bookworm-slim
ARG RUNTIME_IMAGE=gcr.io/distroless/nodejs24-debian12:nonroot

FROM ${BUILD_IMAGE} AS build
WORKDIR /app
# A layer of its own: packages are installed again only when they change. None of them has to run anything for that.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run -s build:package
RUN mkdir -p data

# For trying out: Countersign with sample servers, from sources. Not for anybody's data.
FROM build AS quickstart
RUN chown node:node data
USER node
# Within the container browsers come from outside. Ports are published on loopback alone (compose.yaml).
ENV QUICKSTART_HOST=0.0.0.0
VOLUME ["/app/data"]
EXPOSE 8080 8083
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/status').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "examples/quickstart/start/quickstart.ts"]

# The server: Node, the bundle, the Console, and nothing else: no shell, no package manager, no packages.
FROM ${RUNTIME_IMAGE} AS server
WORKDIR /app
COPY --from=build /app/dist/package ./
# The user of the image has no name everywhere: 65532 is its number.
COPY --from=build --chown=65532:65532 /app/data /var/lib/countersign
USER 65532:65532
# For another port or another `health.location`.
ENV HEALTH_URL=http://127.0.0.1:8080/status
VOLUME ["/var/lib/countersign"]
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
  CMD ["/nodejs/bin/node", "-e", "fetch(process.env.HEALTH_URL).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/nodejs/bin/node", "--max-semi-space-size=8", "node/countersign.js"]
CMD ["-config", "/etc/countersign/countersign.yaml"]
