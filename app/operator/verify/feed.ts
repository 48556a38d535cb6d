import { type Check, costly, expectStatus, expectThat, type Failure, Skipped, type World } from './check.ts'
import { parseBody } from './service.ts'

const read = ({ ask, token, scopes }: World, path: string, headers: Record<string, string> = {}) => {
  if (!scopes.includes('changes:read') || !scopes.includes('countries:read'))
    throw new Skipped('the key has no scope changes:read and countries:read')
  return ask({ path, headers, token })
}

const feedGoesOn = async (world: World): Promise<Failure[]> => {
  const now = await read(world, '/v1/changes?resources=countries')
  const failures = expectStatus(now, 200)
  const { page } = parseBody(now) as { page?: { next_token?: string } }
  const token = page?.next_token
  failures.push(...expectThat(typeof token === 'string', now.ask, 'page.next_token', page))
  if (typeof token !== 'string') return failures
  const later = await read(world, `/v1/changes?after=${encodeURIComponent(token)}`)
  failures.push(...expectStatus(later, 200))
  const tampered = `${token.slice(0, -4)}${token.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`
  for (const query of [`after=${tampered}`, `after=${token}&resources=products`]) {
    const refused = await read(world, `/v1/changes?${query}`)
    failures.push(
      ...expectStatus(
        { ...refused, ask: { path: `/v1/changes?${query.replaceAll(/after=[^&]+/g, 'after=…')}` } },
        400,
      ),
    )
  }
  return failures
}

const snapshotIsWhole = async (world: World): Promise<Failure[]> => {
  if (world.apiKey === undefined) throw new Skipped(costly)
  const whole = parseBody(await read(world, '/v1/countries?limit=1&count=exact')) as {
    page: { total?: number }
  }
  const state = await read(world, '/v1/changes?after=snapshot&resources=countries', {
    accept: 'application/x-ndjson',
  })
  const lines = state.bytes.toString().split('\n').length - 1
  const token = state.headers['sync-token']
  return [
    ...expectStatus(state, 200),
    ...expectThat(lines === whole.page.total, state.ask, `${whole.page.total} upserts`, `${lines} lines`),
    ...expectThat(token !== undefined, state.ask, 'Sync-Token', token),
  ]
}

/** Promises about the change feed. They follow the countries, because every customer has these. */
export const feed: readonly Check[] = [
  { section: 6, promise: 'the feed goes on from its token, and refuses a changed one', run: feedGoesOn },
  { section: 6, promise: 'a snapshot has every record and the token to go on from', run: snapshotIsWhole },
]
