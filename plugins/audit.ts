import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { ChainHead, ChainKey } from '../app/audit/chain.ts'
import { createFlush } from '../app/audit/flush.ts'
import { formatHead } from '../app/audit/head.ts'
import { createReadCounts, fingerprintQuery } from '../app/audit/read-counts.ts'
import { addReads, collectReads } from '../app/audit/reads.ts'
import { type AuditEvent, recordEvents } from '../app/audit/record.ts'
import { readChainState, sealPending } from '../app/audit/sealer.ts'
import type { Db } from '../app/db/schema.ts'
import { describeUnreachable } from '../app/db/unreachable.ts'
import { createLoginAudit } from '../app/identity/login-audit.ts'
import type { SentAnswer } from '../app/observe/sent-answer.ts'
import { listAuditFigures } from '../app/observe/service-metrics.ts'
import { throttleWarnings } from '../app/observe/throttled-warning.ts'
import { repeatWhenReady } from './repeat.ts'

type AuditOptions = {
  db: Db
  secrets: ChainKey
  now: () => number
  monotonicNow: () => number
}

declare module 'fastify' {
  interface FastifyInstance {
    audit: {
      countAnswer(answer: SentAnswer): void
      /** Does not wait for the end of the minute. */
      flush(): Promise<void>
      /** If another instance is sealing, returns without sealing, or waits if `isWaited`. */
      seal(isWaited?: boolean): Promise<void>
      head(): ChainHead | undefined
    }
  }
}

/** `work` checks this each second. A crash loses the reads since the last flush. */
const flushMs = 4_000

const createSeal = (app: FastifyInstance, { db, secrets, now }: AuditOptions) => {
  let known: ChainHead | undefined
  let contradictions = 0
  let sealedAt: number | undefined

  const publish = (head: ChainHead) => {
    if (known?.sealNo === head.sealNo && known.mac.equals(head.mac)) return
    if (known && head.sealNo <= known.sealNo) {
      contradictions += 1
      const heads = { published: formatHead(known), found: formatHead(head) }
      app.log.error(heads, 'the audit chain was cut or rewritten: a published head is missing')
    }
    known = head
    app.log.info({ head: formatHead(head) }, 'audit head')
  }
  const seal = async (isWaited = false): Promise<void> => {
    const { head, isWaiting } = await readChainState(db)
    publish(head)
    const sealed = isWaiting ? await sealPending(db, secrets, isWaited) : undefined
    if (sealed) publish(sealed)
    sealedAt = now()
  }
  return { seal, figures: () => ({ head: known, contradictions, sealedAt }) }
}

/** Stores logins immediately as entries, and reads every five seconds as counts by key, query and minute. */
async function audit(app: FastifyInstance, options: AuditOptions): Promise<void> {
  const { db, secrets, now, monotonicNow } = options
  let lostEntries = 0
  const counts = createReadCounts({ now, fingerprint: (target) => fingerprintQuery(secrets, target) })
  const record = (event: AuditEvent) => recordEvents(db, [event])
  const add = createFlush({
    drain: counts.drain,
    write: (events) => addReads(db, events),
    onLost: (lost) => {
      lostEntries += lost
      app.log.error({ lost }, 'audit entries of reads were lost, because the database does not accept them')
    },
  })
  const flush = async () => {
    await add()
    await collectReads(db, 'all')
  }
  const { seal, figures: sealed } = createSeal(app, options)
  const head = () => sealed().head
  const figures = () => ({ ...sealed(), queued: counts.size + add.unsent(), lost: lostEntries })
  app.decorate('audit', { countAnswer: counts.addAnswer, flush, seal, head })
  app.metrics.add(listAuditFigures(figures))
  const report = throttleWarnings(app.log)
  const warn = (error: unknown) =>
    report(describeUnreachable(error), 'refused logins are not in the audit trail')
  app.onLogin(createLoginAudit({ record, count: counts.addRefusal, now, warn }))

  let flushAt = monotonicNow() + flushMs
  const work = async () => {
    if (monotonicNow() >= flushAt) {
      flushAt = monotonicNow() + flushMs
      await add()
      await collectReads(db, 'complete')
    }
    await seal()
  }
  const stop = repeatWhenReady(app, { work, everyMs: 1_000, failure: 'the audit trail waits: trying again' })
  app.addHook('onClose', async () => {
    await stop()
    const warn = (message: string) => (error: Error) => app.log.warn({ reason: error.message }, message)
    await flush().catch(warn('audit entries were lost when the service stopped'))
    const isLate = warn(
      'the last audit entries are sealed later, by another instance or after the next start',
    )
    await seal(true).catch(isLate)
  })
}

export default fp(audit, { name: 'audit', dependencies: ['auth', 'metrics'], fastify: '5.x' })
