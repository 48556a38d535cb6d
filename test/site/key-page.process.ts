import t from 'tap'
import { addApiKey } from '../../app/identity/api-key-store.ts'
import { createApiKey } from '../../app/identity/api-keys.ts'
import { addKeyLink, addSuccessorLink } from '../../app/identity/key-links.ts'
import { addCustomer, closeAfter, createTestDatabase, listenTestApp } from '../helper.ts'
import { openWindow, startBrowser } from './browser.ts'

const browser = await startBrowser(t)
const database = await createTestDatabase()
const { app, origin } = await listenTestApp(database)
closeAfter(t, app, database)

t.test('a reload of a used link says that it works once', async (t) => {
  await addCustomer(database, 'acme')
  const { secret } = await addKeyLink(database.operator, {
    customerId: 'acme',
    scopes: null,
    lifetimeSeconds: null,
  })
  const { page, faults, close } = await openWindow(browser, `${origin}/key#${secret}`)
  t.teardown(close)
  const readFault = () => page.locator('#outcome.bad').innerText()
  await page.click('#show')
  await page.waitForSelector('.key pre:not(:empty)')
  t.equal(page.url(), `${origin}/key`, 'the secret is not in the address any more')
  await page.reload()
  t.match(
    await readFault(),
    /This link was used\.\s+A link works once\..*new link\. The key .* stays valid until it expires, is replaced or revoked/s,
  )
  t.notOk(await page.isVisible('#show'))
  t.same(faults, [])

  // A new link in the same tab changes the fragment only.
  await page.goto(`${origin}/key#${secret}`)
  await page.click('#show')
  await page.waitForSelector('#outcome.bad')
  const used = await readFault()
  await page.goto(`${origin}/status`)
  await page.goto(`${origin}/key#${'A'.repeat(43)}`)
  await page.click('#show')
  await page.waitForSelector('#outcome.bad')
  t.equal(await readFault(), used, 'a wrong link gets the same answer as a used one')

  const other = await openWindow(browser, `${origin}/key`)
  t.teardown(other.close)
  t.match(await other.page.locator('#outcome.bad').innerText(), /The link is incomplete\..*works once/s)
})

type Box = { top: number; right: number }
type Seen = { bar: number; heading: Box; grid: Box; ends: number[] }

for (const [width, height] of [
  [1280, 720],
  [390, 844],
] as const)
  t.test(`the shown key fits its page at a width of ${width}`, async (t) => {
    const customer = `wide-${width}`
    await addCustomer(database, customer)
    const scopes = ['*', 'account:read']
    const { secret } = await addKeyLink(database.operator, {
      customerId: customer,
      scopes,
      lifetimeSeconds: null,
    })
    const { page, faults, close } = await openWindow(browser, `${origin}/key#${secret}`)
    t.teardown(close)
    await page.setViewportSize({ width, height })
    await page.click('#show')
    await page.waitForSelector('.key pre:not(:empty)')
    const text = await page.locator('#shown').innerText()
    t.match(text, /Scopes\s+all records, account:read/)
    t.match(text, `curl ${origin}/v1/me -H`, 'an address that every customer may read')
    const seen: Seen = await page.evaluate(`(() => {
      const box = (selector) => document.querySelector(selector).getBoundingClientRect().toJSON()
      const isSticky = getComputedStyle(document.querySelector('header')).position === 'sticky'
      const ends = new Map()
      for (const cell of document.querySelectorAll('.cells > div')) {
        const { top, right } = cell.getBoundingClientRect()
        ends.set(Math.round(top), right)
      }
      const bar = isSticky ? box('header').bottom : 0
      return { bar, heading: box('h1'), grid: box('.cells'), ends: [...ends.values()] }
    })()`)
    t.ok(seen.heading.top >= seen.bar, 'the heading is not below the bar')
    for (const end of seen.ends) t.ok(Math.abs(end - seen.grid.right) <= 2, 'each row of facts is full')
    t.same(faults, [])
  })

t.test('a link of a rotation names the previous key, the overlap and its start', async (t) => {
  await addCustomer(database, 'globex')
  const { apiKey: _, ...made } = createApiKey()
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
  await addApiKey(database.operator, { customerId: 'globex', ...made, scopes: null, expiresAt })
  const show = async (secret: string) => {
    const { page, faults, close } = await openWindow(browser, `${origin}/key#${secret}`)
    t.teardown(close)
    await page.click('#show')
    await page.waitForSelector('.key pre:not(:empty)')
    t.same(faults, [])
    return await page.locator('#shown').innerText()
  }
  const added = await addSuccessorLink(database.operator, made.keyId, 7 * 86_400)
  const text = await show(added?.secret ?? '')
  t.match(text, `This key replaces the key ${made.keyId}. Your first login with this key starts the overlap`)
  t.match(text, 'both keys work for 7 days, then the previous key ends.')
  t.match(text, /Expires\s+\d+ \w+ \d{4}(,| at) \d\d:\d\d (UTC|GMT|[A-Z]{3,4})/i, 'with its time zone')

  const { secret } = await addKeyLink(database.operator, {
    customerId: 'globex',
    scopes: null,
    lifetimeSeconds: null,
  })
  t.notMatch(await show(secret), 'replaces')
})
