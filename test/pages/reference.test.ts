import t from 'tap'
import { loadExampleData } from '../../app/demo/example-data.ts'
import { createTestDatabase, listenTestApp } from '../helper.ts'
import { findViolations, type Look, launchBrowser, openWindow, patient } from './browser.ts'

const browser = await launchBrowser()
if (!browser) {
  t.comment('There is no Chromium: the reference is not tested')
  t.pass('the pages in a browser', { skip: 'chromium is not installed' })
  process.exit(0)
}
const database = await createTestDatabase()
await loadExampleData(database.operator, new Date().toISOString().slice(0, 10))
const { app, origin } = await listenTestApp(database, { env: patient })
t.teardown(async () => {
  await browser.close()
  await app.close()
  await database.close()
})

const open = (path: string, look?: Look) => openWindow(browser, origin + path, look)
t.test('the reference breaks no accessibility rule, and complains of nothing', async (t) => {
  // It chooses its colours when it is loaded.
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, faults, close } = await open('/docs', { colorScheme })
    await page.waitForSelector('#reference section.section')
    await page.waitForLoadState('networkidle')
    t.same(await findViolations(page), [], colorScheme)
    t.same(faults, [])
    await close()
  }
})

t.test('the reference sends a request with the demo token', async (t) => {
  const { page, faults, hosts, close } = await open('/docs#tag/certificates/GET/v1/certificates')
  await page
    .getByRole('button', { name: /Test Request/ })
    .first()
    .click()
  const answered = page.waitForResponse((response) => new URL(response.url()).pathname === '/v1/certificates')
  await page.getByRole('button', { name: /^Send/ }).first().click()
  const response = await answered
  t.equal(response.status(), 200)
  t.equal(response.request().headers().authorization, 'Bearer cda_demo_public')
  t.equal(new URL(response.url()).search, '', 'nothing is filtered that nobody chose')
  t.same(faults, [])
  t.same([...hosts], [new URL(origin).host])
  await close()
})
