# The service and its command line. Nothing is built: Node runs the sources. The bundled PostgreSQL and Node of the
# package are for machines without either, so optional dependencies stay out.
FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /srv/certdata
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
# One heap of the C library for all threads: each of its own keeps what it once needed. And a mapping for each body
# from 32 KiB on: between bodies of all lengths the heap keeps gaps, a sixth of a full cache, and what a stall once took.
ENV MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=32768
WORKDIR /srv/certdata
COPY --from=dependencies /srv/certdata/node_modules node_modules/
COPY package.json ./
COPY schemas schemas/
COPY routes routes/
COPY plugins plugins/
COPY docs docs/
COPY app app/
# Compiled once, with the flags of its start and for its user, whose number is part of where it is found: a start is
# faster by a fifth, and what strips types is not loaded (20 MiB).
RUN install -d -o 1000 node_modules/.cache/compiled \
  && setpriv --reuid=1000 --regid=1000 --clear-groups node --max-semi-space-size=8 --heap-growing-percent=25 \
    --no-allocation-site-pretenuring --v8-pool-size=1 --input-type=module -e "import { enableCompileCache } from 'node:module'; enableCompileCache('node_modules/.cache/compiled'); await import('/srv/certdata/app/serve.ts')" \
  && chown -R 0:0 node_modules/.cache && chmod -R a+rX node_modules/.cache
# Owned by root and read by another (the image's `node`): the service cannot change itself. It writes nothing, so that the file system
# may be read-only.
USER 1000:1000
EXPOSE 3000 9464
STOPSIGNAL SIGTERM
# Of whoever listens in this container: its certificate is another host's.
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s --retries=3 \
  CMD ["node", "-e", "require(process.env.TLS_CERT ? 'https' : 'http').get({ host: 'localhost', port: process.env.PORT, path: '/health/live', rejectUnauthorized: false }, (answer) => process.exit(answer.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# Node itself, so that it gets the signals. Flags as of `npm start`: a small young generation and a heap that is collected
# once it has grown by a quarter keep the process near 250 MB with its cache full. What a request leaves behind is not to be taken
# for long-lived because many connections ask at once, and one helper does not push the answering thread aside.
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=25", "--no-allocation-site-pretenuring", "--v8-pool-size=1", "app/server.js"]
