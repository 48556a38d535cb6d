import t from 'tap'
import { addKeyLink } from '../../app/identity/key-links.ts'
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
  t.match(await readFault(), /This link was used\.\s+A link works once\..*ask the sender for a new link/s)
  t.notOk(await page.isVisible('#show'))
  t.same(faults, [])

  await page.goto(`${origin}/key#${secret}`)
  await page.reload()
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
