# The service, its command line and the packages of both clients. The service needs no build step: Node runs the
# sources. The bundled PostgreSQL and Node of the package are for machines without either, so optional dependencies stay
# out.
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS dependencies
WORKDIR /srv/certdata
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts

# The packages that the service sends to its customers.
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS clients
WORKDIR /srv/certdata
COPY package.json package-lock.json .npmrc tsconfig.json ./
RUN npm ci --ignore-scripts
COPY clients clients/
COPY app/features/clients app/features/clients/
RUN node clients/build.ts

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /srv/certdata
COPY --from=dependencies /srv/certdata/node_modules node_modules/
COPY package.json ./
COPY schemas schemas/
COPY routes routes/
COPY plugins plugins/
COPY docs docs/
COPY app app/
COPY clients/typescript/README.md clients/typescript/
COPY clients/python/README.md clients/python/
COPY --from=clients /srv/certdata/app/features/clients/packages app/features/clients/packages/
# Fills Node's compile cache as the user that runs the service, because the cache's path contains the user id. A start
# is faster by a fifth, and the code that strips types is not loaded (20 MiB).
RUN install -d -o 1000 node_modules/.cache/compiled \
  && setpriv --reuid=1000 --regid=1000 --clear-groups node --input-type=module \
    -e "import { enableCompileCache } from 'node:module'; enableCompileCache('node_modules/.cache/compiled'); await import('/srv/certdata/app/main/serve.ts'); await import('/srv/certdata/app/main/redis-stores.ts')" \
  && chown -R 0:0 node_modules/.cache && chmod -R a+rX node_modules/.cache
# The files belong to root and the service runs as `node`, so it cannot change itself. It writes nothing, so the file
# system may be read-only.
USER 1000:1000
EXPOSE 3000 9464
STOPSIGNAL SIGTERM
# Requests this container itself, whose certificate names another host.
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s --retries=3 \
  CMD ["node", "-e", "require(process.env.TLS_CERT ? 'https' : 'http').get({ host: 'localhost', port: process.env.PORT, path: '/health/live', rejectUnauthorized: false }, (answer) => process.exit(answer.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# The start script of package.json, which has Node's flags. Its `exec` makes Node the first process, which gets the signals.
CMD ["sh", "-c", "eval \"$(node -p \"require('./package.json').scripts.start\")\""]
