import type { Page } from 'playwright-core'
import t from 'tap'
import { loadExampleData } from '../../app/local/example-data.ts'
import { createTestDatabase, listenTestApp, until } from '../helper.ts'
import { findViolations, type Look, launchBrowser, openWindow } from './browser.ts'

const browser = await launchBrowser()
if (!browser) {
  t.comment('There is no Chromium: how the pages and the reference look to whom is not tested')
  t.pass('the pages in a browser', { skip: 'chromium is not installed' })
  process.exit(0)
}
const database = await createTestDatabase()
await loadExampleData(database.operator, new Date().toISOString().slice(0, 10))
const { app, origin } = await listenTestApp(database)
t.teardown(async () => {
  await browser.close()
  await app.close()
  await database.close()
})

/** How much wider the widest text of each is than what it has room for, in pixels: of all drop-downs of filters. */
const readCutOff = async (page: Page): Promise<number[]> => {
  const missing: number[] = []
  const field = page.locator('.filter > select').first()
  for (const name of await field.locator('option').allTextContents()) {
    await field.selectOption(name)
    missing.push(
      ...(await page.evaluate<number[]>(`[...document.querySelectorAll('.filter > select')].map((select) => {
        const copy = select.cloneNode(true)
        copy.style.cssText = 'position: absolute; width: max-content'
        select.after(copy)
        const missing = copy.offsetWidth - select.offsetWidth
        copy.remove()
        return missing
      })`)),
    )
  }
  return missing
}

const open = (path: string, look?: Look) => openWindow(browser, origin + path, look)
const looks = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 1280 },
  { colorScheme: 'dark', width: 390 },
] as const

t.test('no page breaks an accessibility rule, complains, or is wider than its window', async (t) => {
  const ready: Record<string, (page: Page) => Promise<unknown>> = {
    '/': (page) => page.waitForSelector('#state-mark[class^="mark "]'),
    '/status': (page) => page.waitForSelector('#figures tbody tr'),
    '/demo': (page) => page.waitForSelector('.timeline li'),
    '/access': async (page) => {
      await page.click('button[type=submit]')
      await page.waitForSelector('#outcome.bad')
    },
    '/problems/invalid_query': async () => {},
    '/docs/guides': async () => {},
    '/docs/guides/changes': async () => {},
    '/docs/guides/custom-documents': async () => {},
  }
  for (const [path, untilReady] of Object.entries(ready)) {
    const { page, faults, hosts, close } = await open(path)
    for (const { colorScheme, width } of looks) {
      await page.emulateMedia({ colorScheme })
      await untilReady(page)
      await page.setViewportSize({ width, height: 850 })
      const name = `${path}, ${colorScheme}, ${width} px`
      // The rules look at colours and names: a narrow window changes neither.
      if (width > 600) t.same(await findViolations(page), [], name)
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      t.ok(overflow <= 0, `${name}: ${overflow} px too wide`)
    }
    t.same(faults, [], path)
    t.same([...hosts], [new URL(origin).host], path)
    await close()
  }
})

t.test('words of charts are as large as others, on a phone too, and where it is turned', async (t) => {
  const { page, close } = await open('/status')
  await page.waitForSelector('#latency svg')
  // None while the chart is drawn.
  const height = `(document.querySelector('#latency text')?.getBoundingClientRect().height ?? 0)`
  for (const width of [1280, 390, 844]) {
    await page.setViewportSize({ width, height: 850 })
    // They are drawn anew once the browser has told of the other width.
    await until(`words are readable at ${width} px`, async () => {
      const high = await page.evaluate<number>(height)
      return high > 11 && high < 20
    })
    t.pass(`${width} px`)
  }
  await close()
})

t.test('the form of the demo offers filters once it knows the endpoint', async (t) => {
  const { page, close } = await open('/problems/invalid_query')
  const held = Promise.withResolvers<void>()
  await page.route('**/openapi.json', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto(`${origin}/demo?path=/v1/certificates`)
  await page.waitForSelector('#request:not([hidden])')
  for (const name of ['filter', 'control', 'mistake']) t.notOk(await page.isVisible(`#${name}-block`), name)
  held.resolve()
  await page.click('#filter-block summary')
  await page.click('#add-filter')
  t.ok(await page.waitForSelector('#filters .filter'))
  await close()
})

t.test('the demo has room for what its comparisons say', async (t) => {
  const { page, close } = await open('/demo?path=/v1/certificates')
  await page.click('#filter-block summary')
  await page.click('#add-filter')
  await page.waitForSelector('#filters .filter')
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 850 })
    const missing = await readCutOff(page)
    t.ok(missing.length > 20)
    t.ok(Math.max(...missing) <= 0, `${width} px: ${Math.max(...missing)} px are cut off`)
  }
  await close()
})

t.test('the reference breaks no accessibility rule, and complains of nothing', async (t) => {
  // It chooses its colours when it is loaded, and on a phone it has other buttons.
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
