import t from 'tap'
import type { AuditEvent } from '../../app/audit/record.ts'
import { ApiError } from '../../app/errors.ts'
import type { KeyFacts } from '../../app/identity/facts.ts'
import { createLoginAudit } from '../../app/identity/login-audit.ts'

const minuteMs = 60_000

const open = () => {
  const recorded: AuditEvent[] = []
  const counted: [string, number][] = []
  let nowMs = minuteMs
  const listener = createLoginAudit({
    record: async (event) => void recorded.push(event),
    count: (reason, status) => counted.push([reason, status]),
    now: () => nowMs,
    warn: (error) => t.fail(String(error)),
  })
  const refuse = async (error: unknown, { ip = '192.0.2.1', keyId = 'k' } = {}) =>
    listener({ type: 'refused', isLogin: true, source: { ip }, keyId, error })
  const advance = (ms: number) => {
    nowMs += ms
  }
  return { listener, recorded, counted, refuse, advance }
}

const badKey = () => new ApiError('invalid_api_key')

t.test('refusals by the service are recorded, faults of the service and accepted keys are not', async (t) => {
  const { listener, recorded, counted, refuse } = open()
  for (const error of [new Error('ECONNRESET'), new ApiError('internal_error'), new ApiError('unavailable')])
    await refuse(error)
  await listener({ type: 'accepted', isLogin: true, source: { ip: '192.0.2.1' } })
  t.same(recorded, [])
  await refuse(new ApiError('invalid_api_key', { auditReason: 'expired' }))
  await refuse(badKey())
  await refuse(new ApiError('quota_exceeded'))
  t.match(recorded, [
    { actor: 'anonymous', action: 'login', outcome: 'refused', client: '192.0.2.0/24', keyId: 'k' },
    { details: { reason: 'invalid_api_key' } },
  ])
  t.same(recorded[0]?.details, { reason: 'expired' })
  t.same([recorded.length, counted], [2, [['login: quota_exceeded', 429]]])
  await listener({
    type: 'signed',
    source: { ip: '192.0.2.1', requestId: 'r' },
    key: { customerId: 'acme', keyId: 'k' } as KeyFacts,
  })
  t.match(recorded[2], { actor: 'key', action: 'login', customer: 'acme', keyId: 'k', requestId: 'r' })
})

t.test(
  'a minute has 30 refusals of a network, 100 of all, and 10 of a correct key in addition',
  async (t) => {
    const { recorded, counted, refuse, advance } = open()
    const repeat = async (times: number, error: ApiError, source: { ip?: string; keyId?: string }) => {
      const before = recorded.length
      for (let n = 0; n < times; n += 1) await refuse(error, source)
      return recorded.length - before
    }
    for (const [network, most] of [30, 30, 30, 10, 0].entries())
      t.equal(await repeat(40, badKey(), { ip: `192.0.${network}.1` }), most)
    t.equal(counted.length, 100)
    for (const code of ['plan_required', 'network_not_allowed'] as const)
      t.equal(await repeat(20, new ApiError(code), { keyId: code }), 10, code)
    advance(minuteMs - 1)
    t.equal(await repeat(1, badKey(), { ip: '198.51.100.1' }), 0, 'the same minute')
    advance(1)
    t.equal(await repeat(40, badKey(), { ip: '192.0.0.1' }), 30)
  },
)
