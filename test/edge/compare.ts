/** Longer than any pause of the machine: after the lease the edge leaves requests to the router. */
export const leaseMs = 60_000

/** The router answers from the database, then from memory. After that the edge can answer. */
export const twice = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
  await ask()
  return ask()
}

/** Fields that differ between requests. */
export const ofTheMoment = ['request-id', 'server-timing', 'data-as-of', 'ratelimit', 'date']
const requestId = /"request_id":"[^"]*"/

type Answer = { status: number; headers: object; body: string }

/** The parts of an answer that must not differ between edge and router. */
export const lasting = ({ status, headers, body }: Answer, ...others: string[]) => {
  const dropped = new Set([...ofTheMoment, ...others])
  const kept = Object.entries(headers).filter(([name]) => !dropped.has(name))
  return { status, headers: Object.fromEntries(kept.sort()), body: body.replace(requestId, '') }
}
