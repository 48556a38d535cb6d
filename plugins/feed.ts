import fp from 'fastify-plugin'
import { createFeed, type Feed } from '../app/feed/feed.ts'
import { createTokenCodec } from '../app/feed/token.ts'
import { createWaiting, type Waiting } from '../app/feed/wait.ts'
import type { Deps } from './deps.ts'

type FeedOptions = Pick<
  Deps,
  'db' | 'exportSource' | 'publicUrl' | 'secrets' | 'listen' | 'databaseNow' | 'isDraining'
>

declare module 'fastify' {
  interface FastifyInstance {
    feed: Feed
    feedWaiting: Pick<Waiting, 'count'>
  }
}

/** The change feed. Long polls end when the service starts to close. */
export default fp<FeedOptions>(
  (app, { db, exportSource: source, publicUrl, secrets, listen, databaseNow, isDraining }, done) => {
    const waiting = createWaiting({ listen, databaseNow, isDraining })
    // `preClose` runs before the server waits for requests in progress.
    app.addHook('preClose', (closed) => {
      waiting.close()
      closed()
    })
    const { concurrency } = app.limits
    const tokens = createTokenCodec(secrets)
    const { today } = app
    app.decorate('feedWaiting', waiting)
    app.decorate(
      'feed',
      createFeed({ db, tokens, waiting, publicUrl, today, databaseNow, concurrency, source }),
    )
    done()
  },
  { name: 'feed', dependencies: ['calendar', 'quotas'], fastify: '5.x' },
)
