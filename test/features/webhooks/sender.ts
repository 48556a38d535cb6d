import { createDb, createPool, readerRole } from '../../../app/db/connect.ts'
import { createWebhookKeys } from '../../../app/features/webhooks/keys.ts'
import { createDeliver } from '../../../app/features/webhooks/message.ts'
import { startWebhooks } from '../../../app/features/webhooks/sender.ts'
import { startTestFence } from '../../helper.ts'
import { secrets, tokens } from './stage.ts'

/** Sends webhooks without ever receiving a response. Reports each message's id to the parent process. */
const [, , url = ''] = process.argv
const pool = () => createPool(url, { role: readerRole, max: 3, applicationName: 'test', onError: () => {} })
const db = createDb(pool())
const { poller } = await startTestFence(url)
startWebhooks({
  db,
  reserved: db,
  tokens,
  now: poller.databaseNow,
  warn: () => {},
  onAttempt: () => {},
  listen: poller.listen,
  proveEmpty: async () => undefined,
  deliver: createDeliver({
    keys: createWebhookKeys(secrets),
    now: Date.now,
    outbound: (_url, { headers }) => {
      process.send?.(headers['webhook-id'])
      return new Promise(() => {})
    },
  }),
})
