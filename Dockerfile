# The service and its command line. Nothing is built: Node runs the sources. The bundled PostgreSQL and Node of the
# package are for machines without either, so optional dependencies stay out.
FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /srv/certdata
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /srv/certdata
COPY --from=dependencies /srv/certdata/node_modules node_modules/
COPY package.json ./
COPY schemas schemas/
COPY routes routes/
COPY plugins plugins/
COPY docs docs/
COPY app app/
# Owned by root and read by another (the image's `node`): the service cannot change itself. It writes nothing, so that the file system
# may be read-only.
USER 1000:1000
EXPOSE 3000 9464
STOPSIGNAL SIGTERM
# Of whoever listens in this container: its certificate is another host's.
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s --retries=3 \
  CMD ["node", "-e", "require(process.env.TLS_CERT ? 'https' : 'http').get({ host: 'localhost', port: process.env.PORT, path: '/health/live', rejectUnauthorized: false }, (answer) => process.exit(answer.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# Node itself, so that it gets the signals. Flags as of `npm start`: a small young generation and a heap that is collected
# before it has doubled keep the process below 250 MB with its cache full, and cost nothing that could be measured.
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=25", "app/server.js"]
