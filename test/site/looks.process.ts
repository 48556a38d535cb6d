import type { Page } from 'playwright-core'
import t from 'tap'
import { addKeyLink } from '../../app/identity/key-links.ts'
import { loadExampleData } from '../../app/local/example-data.ts'
import { addCustomer, closeAfter, createTestDatabase, listenTestApp } from '../helper.ts'
import { checkLooks, findViolations, type Look, looks, openWindow, startBrowser } from './browser.ts'

const browser = await startBrowser(t)
const database = await createTestDatabase()
await loadExampleData(database.operator, new Date().toISOString().slice(0, 10))
const { app, origin } = await listenTestApp(database)
closeAfter(t, app, database)

const open = (path: string, look?: Look) => openWindow(browser, origin + path, look)
t.test('pages meet accessibility rules, log no errors, and fit the window', async (t) => {
  await addCustomer(database, 'acme')
  const made = { customerId: 'acme', scopes: null, networks: ['192.0.2.0/24'], lifetimeSeconds: 86_400 }
  const { secret } = await addKeyLink(database.operator, made)
  const ready: Record<string, (page: Page) => Promise<unknown>> = {
    '/': async () => {},
    // The link lacks its secret.
    '/key': (page) => page.waitForSelector('#outcome.bad'),
    [`/key#${secret}`]: async (page) => {
      if (await page.isVisible('#show')) await page.click('#show')
      await page.waitForSelector('.key pre:not(:empty)')
    },
    '/problems/invalid_query': async () => {},
    '/docs/guides': async () => {},
    '/docs/guides/changes': async () => {},
    '/docs/guides/custom-documents': async () => {},
  }
  for (const [path, untilReady] of Object.entries(ready))
    await checkLooks(t, await open(path), path, untilReady)
})

t.test('the reference meets accessibility rules and logs no errors', async (t) => {
  // The reference chooses its colors when it loads, and has other buttons on a phone.
  for (const { colorScheme, width } of looks) {
    const { page, faults, close } = await open('/docs', { colorScheme })
    await page.setViewportSize({ width, height: 850 })
    await page.waitForSelector('#reference section.section')
    await page.waitForLoadState('networkidle')
    t.same(await findViolations(page), [], `${colorScheme}, ${width} px`)
    t.same(faults, [])
    await close()
  }
})

t.test('the reference sends a request with the demo token', async (t) => {
  const { page, faults, hosts, close } = await open('/docs#tag/certificates/GET/v1/certificates')
  await page.waitForSelector('#reference [id$="/v1/certificates.query.format"]', { state: 'attached' })
  const headings = await page.evaluate(`[...document.querySelectorAll('#reference li.parameter-item')]
    .map((item) => getComputedStyle(item, '::before').content).filter((content) => content.startsWith('"'))`)
  const groups = ['"Filters"', '"Order and pages"', '"Content"', '"Format"']
  t.same((headings as string[]).slice(0, 4), groups, 'parameters are grouped')
  t.equal(
    await page.locator('#reference :is([role=search], [class*=sidebar-search])').count(),
    0,
    'one search',
  )
  await page.setViewportSize({ width: 390, height: 850 })
  const tabs = await page.locator('#reference .tab-list').first().boundingBox()
  const icon = await page.locator('#reference .code-copy').first().boundingBox()
  t.ok(tabs && icon && tabs.x + tabs.width <= icon.x, 'no tab runs under an icon')
  await page.setViewportSize({ width: 1280, height: 850 })
  await page
    .getByRole('button', { name: /Test Request/ })
    .first()
    .click()
  const answered = page.waitForResponse((response) => new URL(response.url()).pathname === '/v1/certificates')
  await page.getByRole('button', { name: /^Send/ }).first().click()
  const response = await answered
  t.equal(response.status(), 200)
  t.equal(response.request().headers().authorization, 'Bearer cda_demo_public')
  t.equal(new URL(response.url()).search, '', 'sends only chosen filters')
  t.same(faults, [])
  t.same([...hosts], [new URL(origin).host])
  await close()
})
