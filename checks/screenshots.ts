import { statSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { createSecrets } from '../app/config/secrets.ts'
import { createDb, createPool } from '../app/db/connect.ts'
import { features } from '../app/features.ts'
import { prepareDatabase } from '../app/local/prepare.ts'
import { createTestDatabase, listenTestApp, secretKey, until } from '../test/helper.ts'
import { launchBrowser, openWindow } from '../test/site/browser.ts'

/** Renews the pictures of the README and of the site: `npm run screenshots`. The status page shows example figures. */
const root = join(import.meta.dirname, '..')
const maxBytes = 150_000

const browser = await launchBrowser()
if (!browser) throw new Error('Screenshots need Chromium: install it, or set CHROMIUM to its path')
const database = await createTestDatabase()
const owner = createDb(
  createPool(database.url, { max: 1, applicationName: 'screenshots', onError: () => {} }),
)
await prepareDatabase(owner, createSecrets([secretKey]), { features })

/** Three months with a daily wave, a slow hour and an outage. */
const plantMinutes = () =>
  sql`insert into service_minutes
    select m, 'a', case when gone < 4 then 0 when gone < 9 then 7 else 63 end, n, case when weak then n / 30 else 0 end,
      n, n * ms, n * 0.94, 90 + 60 * random(), array_fill(0, array[13]) || array[(n * 0.5)::int, 0, (n * 0.3)::int,
      0, (n * 0.12)::int, 0, (n * 0.04)::int, 0, (n * 0.025)::int, 0, 0, 0, 0, 0, (n * 0.015)::int]
    from (
      select m, (220 + 180 * sin(extract(epoch from m) / 86400 * 2 * pi() - 2) + 40 * random())::int as n,
        1.6 + 0.5 * random() as ms,
        m between now() - interval '31 days' and now() - interval '31 days' + interval '1 hour' as weak,
        extract(epoch from m - (now() - interval '12 days')) / 60 as since
      from generate_series(date_trunc('minute', now()) - interval '88 days', date_trunc('minute', now()) - interval '1 minute', '1 minute') m
    ) minutes cross join lateral (select case when since >= 0 then since else 99 end) as g (gone)`.execute(
    owner,
  )

/** `from`: the selector of the element at the top of the picture. */
const shoot = async (
  name: string,
  path: string,
  ready: (page: Page) => Promise<unknown>,
  height: number,
  width = 1280,
  from = 'body',
) => {
  const { page, close } = await openWindow(browser, origin + path)
  await page.setViewportSize({ width, height })
  await ready(page)
  const file = join(root, name)
  await page.evaluate(`document.querySelector('${from}').scrollIntoView()`)
  await page.screenshot({ path: file })
  await close()
  const { size } = statSync(file)
  if (size > maxBytes) throw new Error(`${file} has ${size} bytes, more than ${maxBytes}`)
  process.stdout.write(`${name}: ${size} bytes\n`)
}

/** The picture for chats is the start page without navigation and details. */
const previewStyle = `
  nav, footer, header button, main > :not(.hero), .hero :is(.eyebrow, .lead, .row, .small, .part + .part, .legend, figcaption, .head) { display: none !important }
  header.site { border: 0 }
  header.site .bar { padding: 52px 80px 0; max-width: none }
  .brand { font-size: 34px }
  .brand img { width: 52px; height: 52px }
  main { padding: 0 80px !important; max-width: none !important }
  .hero { display: block !important; padding: 0 !important; margin: 0 }
  .hero h1 { font-size: 76px; max-width: none; margin: 28px 0 16px }
  .picture { border: 0; box-shadow: none; background: none; max-width: none }
  .picture .part { padding: 0; zoom: 1.22 }`
const stylePreview = (page: Page) =>
  page.evaluate(`(async () => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(${JSON.stringify(previewStyle)})
    document.adoptedStyleSheets = [sheet]
    await document.fonts.ready
  })()`)

await plantMinutes()
const { app, origin } = await listenTestApp(database, {
  env: { LIMIT_DEMO_BURST: '20', LIMIT_DEMO_MINUTE: '60' },
  started: Promise.resolve(),
})
try {
  const isMeasured = async () => (await app.inject('/status.json')).json().measured_since !== null
  await until('it has read the minutes', isMeasured)
  await shoot('docs/images/home.png', '/', (page) => page.evaluate('document.fonts.ready'), 760)
  await shoot('docs/images/status.png', '/status', async () => {}, 1440)
  await shoot('docs/images/demo.png', '/demo#markets', (page) => page.waitForSelector('.matrix'), 815)
  const hasTimeline = (page: Page) => page.waitForSelector('.record-timeline')
  await shoot('docs/images/history.png', '/demo#history', hasTimeline, 720, 1280, '.stage')
  await shoot('app/site/images/preview.png', '/', stylePreview, 630, 1200)
} finally {
  await browser.close()
  await app.close()
  await owner.destroy()
  await database.close()
}
