import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import t from 'tap'
import { parseApiKey } from '../../../app/identity/api-keys.ts'
import { addCustomer, closeAfter, createTestDatabase, listenTestApp, until } from '../../helper.ts'
import { checkLooks, findViolations, type Look, openWindow, startBrowser, tabTo } from '../../site/browser.ts'

const browser = await startBrowser(t)
const database = await createTestDatabase()
const { app, origin } = await listenTestApp(database, { env: { LIMIT_FAILED_LOGINS: '1000' } })
closeAfter(t, app, database)
const open = (look?: Look) => openWindow(browser, `${origin}/account`, look)

/** The first second of a later day in UTC: less than `days` times 24 hours from now. */
const daysAhead = (days: number) =>
  sql`(date_trunc('day', now() at time zone 'UTC') + make_interval(days => ${days}, secs => 1)) at time zone 'UTC'`
const apiKey = await addCustomer(database, 'acme', { scopes: ['*', 'account:read', 'keys:rotate'] })
const keyId = parseApiKey(apiKey)?.keyId as string
await sql`update api_keys set name = 'ERP', expires_at = ${daysAhead(10)} where key_id = ${keyId}`.execute(
  database.operator,
)
await addCustomer(database, 'acme', { scopes: ['products:read'] })
await sql`insert into usage_days
  select 'acme', (now() at time zone 'UTC')::date - n, e, 100 * n + 20, 80 * n, n, 1000000 * n
  from generate_series(0, 30) n, unnest(array['/v1/products', '/v1/certificates/{id}']) e`.execute(
  database.operator,
)
await sql`insert into webhooks (customer_id, webhook_id, url, resources, token, since, day, identity, failing_since)
  values ('acme', 'wh_aaaaaaaaaaaaaaaa', 'https://acme.example/hooks/certification-data', '{products,certificates}', 't',
    '3', current_date, 'i', now())`.execute(database.operator)
const delivery = JSON.stringify({ at: '2026-11-28T09:00:00Z', message_id: 'msg_1', result: '500' })
await sql`select log_webhook_delivery('acme', 'wh_aaaaaaaaaaaaaaaa', ${delivery}::json)`.execute(
  database.operator,
)

const enter = async (page: Page, key = apiKey) => {
  await page.fill('#key', key)
  await page.click('#enter button')
}
const enterAndWait = async (page: Page) => {
  await enter(page)
  await page.waitForSelector('#account section#rotation')
}
/** Everything that survives the page. */
const listKept = (page: Page) =>
  page.evaluate<string>(
    `JSON.stringify([location.href, document.cookie, {...localStorage}, {...sessionStorage}, history.length,
      [...document.querySelectorAll('input')].map((input) => input.value), document.body.innerHTML])`,
  )

t.test('the middle line of the chart has an exact number', async (t) => {
  const { page, close } = await open()
  await page.route('**/v1/me/usage', async (route) => {
    const answer = await route.fetch()
    const { data, counted } = (await answer.json()) as { data: object[]; counted: object }
    await route.fulfill({ response: answer, json: { data: [{ ...data[0], requests: 7 }], counted } })
  })
  await enterAndWait(page)
  t.same(await page.locator('#usage .scale span').allTextContents(), ['8', '4', '0'])
  t.match(await page.getAttribute('#usage svg', 'aria-label'), 'at most 7 in a day')
  await close()
})

t.test('the page shows keys, usage and webhooks, and keeps neither the key nor the token', async (t) => {
  const { page, faults, hosts, close } = await open()
  const tokens: string[] = []
  const addresses: string[] = []
  page.on('request', (request) => {
    addresses.push(request.url())
    const { authorization } = request.headers()
    if (authorization) tokens.push(authorization.replace('Bearer ', ''))
  })
  await enterAndWait(page)
  t.match(await page.textContent('.account-head'), /acme.*premium.*ERP.*in 10 days/s)
  const rows = await page.locator('#keys tbody tr').allTextContents()
  t.equal(rows.length, 2)
  t.ok(rows.some((row) => row.includes(keyId) && row.includes('this key') && row.includes('any')))
  t.ok(rows.some((row) => row.includes('not shown')))
  t.equal(await page.evaluate('scrollY'), 0, 'the title is visible')
  t.match(await page.getAttribute('#usage svg', 'aria-label'), '94,240 requests in 31 days')
  t.equal(await page.locator('#usage rect.bar').count(), 31)
  t.match(await page.textContent('#usage tbody tr'), /\/v1\/.*47,120.*37,200.*465.*465 MB/)
  t.match(await page.textContent('#usage'), /If a process is killed/)
  t.match(await page.textContent('#webhooks'), /failing.*acme\.example.*products, certificates/s)
  await page.click('#webhooks summary')
  await page.waitForSelector('#webhooks tbody tr')
  t.match(await page.textContent('#webhooks tbody'), /500.*msg_1/s)
  t.same(await findViolations(page), [])
  const kept = await listKept(page)
  t.ok(tokens.length >= 5 && new Set(tokens).size === 1)
  for (const secret of [apiKey, parseApiKey(apiKey)?.secret as string, tokens[0] as string]) {
    t.notOk(kept.includes(secret), 'nothing keeps the secret')
    t.notOk(addresses.some((address) => address.includes(secret)))
  }
  t.same(await page.context().cookies(), [])
  t.equal(page.url(), `${origin}/account`)
  const download = page.waitForEvent('download')
  await page.click('#usage button')
  t.match((await download).suggestedFilename(), /^usage-\d{4}-\d\d-\d\d\.csv$/)
  t.same(faults, [])
  t.equal(hosts.size, 1)
  await close()
})

t.test('a refused key is explained, and attempts count as logins', async (t) => {
  const { page, close } = await open()
  const logins: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') logins.push(new URL(request.url()).pathname)
  })
  await enter(page, `${apiKey.slice(0, -4)}AAAA`)
  await page.waitForSelector('#outcome.bad')
  t.ok(await page.isHidden('#account'))
  t.equal(await page.inputValue('#key'), '', 'the field is empty again')
  t.same(logins, ['/v1/auth/login'], 'with its limits for each network')
  await enter(page, await addCustomer(database, 'acme', { scopes: ['products:read'] }))
  await page.waitForSelector('#account #keys')
  t.match(await page.textContent('#keys'), 'This needs the scope account:read.')
  t.match(await page.textContent('#rotation'), 'lacks the scope keys:rotate')
  await close()
})

t.test('the token is forgotten after 15 minutes without use', async (t) => {
  const { page, close } = await open({ hasClock: true })
  await enterAndWait(page)
  await page.clock.fastForward(14 * 60_000)
  await page.mouse.click(5, 5)
  await page.clock.fastForward(14 * 60_000)
  t.ok(await page.isVisible('#account'), 'use prolongs it')
  await page.clock.fastForward(60_000 + 10_000)
  await page.waitForSelector('#enter:not([hidden])')
  t.match(await page.textContent('#outcome'), '15 minutes without use')
  t.equal(await page.textContent('#account'), '')
  await close()
})

t.test('the token is forgotten when the page is left, and by a button', async (t) => {
  const { page, close } = await open()
  await enterAndWait(page)
  await page.goto(`${origin}/docs/guides`)
  await page.goBack()
  await page.waitForSelector('#enter:not([hidden])')
  t.ok(await page.isHidden('#account'))
  await enterAndWait(page)
  await page.getByRole('button', { name: 'Forget the token' }).click()
  t.ok(await page.isHidden('#account'))
  t.match(await page.textContent('#outcome'), 'The token is forgotten.')
  await close()
})

t.test('a key that is revoked in the meantime ends the session', async (t) => {
  const revoked = await addCustomer(database, 'acme', { scopes: ['*', 'account:read'] })
  const { page, close } = await open()
  let authorization = ''
  page.on('request', (request) => {
    authorization = request.headers().authorization ?? authorization
  })
  await enter(page, revoked)
  await page.waitForSelector('#account section#rotation')
  await sql`update api_keys set revoked_at = now() where key_id = ${parseApiKey(revoked)?.keyId}`.execute(
    database.operator,
  )
  // The rights of a token are up to a second old.
  await until('the token is refused', async () => {
    const answer = await fetch(`${origin}/v1/me`, { headers: { authorization } })
    return answer.status === 401
  })
  await page.click('#webhooks summary')
  await page.waitForSelector('#enter:not([hidden])')
  t.match(await page.textContent('#outcome'), 'Paste the key again.')
  await close()
})

t.test('a rotation shows the new key once', async (t) => {
  const { page, close } = await open()
  await enterAndWait(page)
  await page.fill('#rotated', apiKey)
  await page.click('#rotation button')
  await page.waitForSelector('#rotation pre')
  const fresh = await page.textContent('#rotation pre')
  t.match(fresh, /^cda_live_/)
  t.not(fresh, apiKey)
  t.same(await findViolations(page), [])
  const login = await fetch(`${origin}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: fresh }),
  })
  t.equal(login.status, 200)
  await page.getByRole('button', { name: 'Forget the token' }).click()
  t.notOk((await listKept(page)).includes(fresh ?? ''), 'and forgets it')
  await close()
})

t.test('an account without requests says so, by keyboard alone and with a name in Arabic', async (t) => {
  const key = await addCustomer(database, 'quiet', { scopes: ['*', 'account:read', 'keys:rotate'] })
  await sql`update api_keys set name = 'مفتاح' where key_id = ${parseApiKey(key)?.keyId}`.execute(
    database.operator,
  )
  const { page, close } = await open()
  // The request that reads the account may be counted already.
  await page.route('**/v1/me/usage', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), data: [] } })
  })
  await tabTo(page, '#key')
  await page.keyboard.type(key)
  await page.keyboard.press('Enter')
  await page.waitForSelector('#account section#rotation')
  t.match(await page.textContent('#usage'), 'No request was counted in the last 31 days.')
  t.equal(await page.locator('#usage svg').count(), 0, 'and shows no empty chart')
  t.equal(await page.textContent('#keys tbody bdi'), 'مفتاح')
  const ring = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')
  t.same(
    [await page.evaluate('document.activeElement.id'), ring],
    ['account', 'none'],
    'the focus is at the account, without a ring around all of it',
  )
  await tabTo(page, '#rotated')
  await page.keyboard.type(key)
  await page.keyboard.press('Enter')
  await page.waitForSelector('#rotation pre')
  t.ok(await page.isVisible('#rotation .codebox button'), 'the new key can be copied')
  await close()
})

const rotatingKey = (customer: string) =>
  addCustomer(database, customer, { scopes: ['*', 'account:read', 'keys:rotate'] })

t.test('a refused rotation is explained at its form until the next attempt', async (t) => {
  const key = await rotatingKey('second-try')
  const { page, close } = await open()
  await enter(page, key)
  await page.waitForSelector('#account section#rotation')
  await page.fill('#rotated', `${key.slice(0, -4)}AAAA`)
  await page.click('#rotation form button')
  await page.waitForSelector('#rotation .notice.bad')
  t.equal(await page.locator('.notice').count(), 1, 'and nowhere else')
  t.same(await findViolations(page), [])
  await page.fill('#rotated', key)
  await page.click('#rotation form button')
  await page.waitForSelector('#rotation pre')
  t.equal(await page.locator('.notice').count(), 0)
  const fresh = parseApiKey((await page.textContent('#rotation pre')) as string)?.keyId
  await page.waitForSelector(`#keys tr:has-text("${fresh}") .tag.pending`)
  await close()
})

t.test('the fault of an earlier click disappears at the rotation', async (t) => {
  const key = await rotatingKey('earlier-fault')
  const { page, close } = await open()
  await enter(page, key)
  await page.waitForSelector('#account section#rotation')
  await page.route('**/v1/me/usage?format=csv', (route) => route.abort())
  await page.click('#usage button')
  await page.waitForSelector('#outcome.bad')
  await page.fill('#rotated', key)
  await page.click('#rotation form button')
  await page.waitForSelector('#rotation pre')
  t.equal(await page.locator('.notice').count(), 0)
  await close()
})

t.test('the new key stays on the page if the token ends during the rotation', async (t) => {
  const key = await rotatingKey('late-token')
  const { page, close } = await open()
  await enter(page, key)
  await page.waitForSelector('#account section#rotation')
  const problem = { status: 401, title: 'The access token has expired' }
  await page.route('**/v1/me/keys', (route) => route.fulfill({ status: 401, json: problem }))
  await page.fill('#rotated', key)
  await page.click('#rotation form button')
  await page.waitForSelector('#keys:has-text("The access token has expired")')
  t.match(await page.textContent('#rotation pre'), /^cda_live_/)
  await close()
})

t.test('a key other than that of the login is not rotated', async (t) => {
  const [shown, other] = [await rotatingKey('two-keys'), await rotatingKey('two-keys')]
  const [shownId, otherId] = [parseApiKey(shown)?.keyId, parseApiKey(other)?.keyId] as [string, string]
  const { page, close } = await open()
  const posts: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') posts.push(new URL(request.url()).pathname)
  })
  await enter(page, shown)
  await page.waitForSelector('#account section#rotation')
  await page.fill('#rotated', other)
  await page.click('#rotation form button')
  await page.waitForSelector('#rotation .notice.bad')
  const text = await page.textContent('#rotation .notice')
  t.match(text, `You logged in with the key ${shownId}`)
  t.match(text, `pasted the key ${otherId}`)
  t.notOk(text?.includes(parseApiKey(other)?.secret as string))
  t.same(posts, ['/v1/auth/login'])
  await page.fill('#rotated', shown)
  await page.click('#rotation form button')
  await page.waitForSelector('#rotation pre')
  t.match(await page.textContent('#rotation'), `the key ${shownId} works for another`)
  await close()
})

t.test('the page counts days of the calendar, and days of the overlap as the answer does', async (t) => {
  const key = await rotatingKey('calendar')
  await sql`update api_keys set expires_at = ${daysAhead(1)} where customer_id = 'calendar'`.execute(
    database.operator,
  )
  const { page, close } = await open()
  await enter(page, key)
  await page.waitForSelector('#account section#rotation')
  t.match(await page.textContent('.account-head'), /tomorrow/)
  t.match(await page.textContent('#rotation'), 'both keys work for 7 days')
  const answer = page.waitForResponse('**/v1/me/keys/rotate')
  await page.fill('#rotated', key)
  await page.click('#rotation form button')
  t.equal((await (await answer).json()).overlap_seconds, 7 * 86_400)
  await page.waitForSelector('#rotation pre')
  t.match(await page.textContent('#rotation'), 'works for another 7 days')
  await close()
})

t.test('without JavaScript, the page says how to get the data, and has no form', async (t) => {
  const { page, close } = await open({ javaScript: false })
  t.match(await page.textContent('noscript, main'), 'needs JavaScript')
  t.equal(await page.locator('form:visible').count(), 0)
  t.equal(await page.locator('input[name]').count(), 0, 'no input can be sent by the browser')
  await close()
})

t.test('the page meets accessibility rules in light and dark, and fits a phone', async (t) => {
  await checkLooks(t, await open(), '/account', async (page) => {
    if (await page.isVisible('#key')) await enterAndWait(page)
    await page.locator('#keys summary').first().click()
  })
})
