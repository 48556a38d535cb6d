import type { Page } from 'playwright-core'
import t from 'tap'
import { loadExampleData } from '../../app/demo/example-data.ts'
import { createTestDatabase, listenTestApp } from '../helper.ts'
import { findViolations, launchBrowser, openWindow } from './browser.ts'

const browser = await launchBrowser()
if (!browser) {
  t.comment('There is no Chromium: how the pages look to whom is not tested')
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

const open = (path: string) => openWindow(browser, origin + path)
const looks = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 1280 },
  { colorScheme: 'dark', width: 390 },
] as const

t.test('no page breaks an accessibility rule, complains, or is wider than its window', async (t) => {
  const ready: Record<string, (page: Page) => Promise<unknown>> = {
    '/': (page) => page.waitForSelector('#glance-cells:not([hidden])'),
    '/status': (page) => page.waitForSelector('#figures tbody tr'),
    '/demo': async (page) => {
      await page.waitForSelector('#filters .filter')
      await page.click('#send')
      await page.waitForSelector('#answer:not([hidden])')
    },
    '/access': async (page) => {
      await page.click('button[type=submit]')
      await page.waitForSelector('#outcome.bad')
    },
    '/problems/invalid_query': async () => {},
    '/docs/guides/changes': async () => {},
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
