import { fileURLToPath } from 'node:url'
import t from 'tap'
import { packagesFolder } from '../../../app/features/clients/packages.ts'
import { buildPackages, writePackages } from '../../../clients/tools/packages.ts'
import { closeAfter, createTestDatabase, listenTestApp } from '../../helper.ts'
import { checkLooks, openWindow, startBrowser } from '../../site/browser.ts'

writePackages(buildPackages(), fileURLToPath(packagesFolder))
const browser = await startBrowser(t)
const database = await createTestDatabase()
const { app, origin } = await listenTestApp(database)
closeAfter(t, app, database)

t.test('the page meets accessibility rules, logs no errors, and fits the window', async (t) => {
  const page = await openWindow(browser, `${origin}/clients/`)
  await checkLooks(t, page, '/clients/', async () => {})
})

t.test('labels of the packages stay on one line', async (t) => {
  const { page, close } = await openWindow(browser, `${origin}/clients/`)
  t.teardown(close)
  await page.setViewportSize({ width: 360, height: 800 })
  const labels = page.locator('th[scope=row] code')
  t.equal(await labels.count(), 1)
  t.equal(await labels.first().evaluate((label) => label.getClientRects().length), 1)
})
