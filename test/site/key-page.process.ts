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
