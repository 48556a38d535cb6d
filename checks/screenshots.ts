import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { createSecrets } from '../app/config/secrets.ts'
import { createDb, createPool } from '../app/db/connect.ts'
import { prepareDatabase } from '../app/local/prepare.ts'
import { createTestDatabase, listenTestApp, secretKey } from '../test/helper.ts'
import { launchBrowser, openWindow } from '../test/site/browser.ts'

/** Renews the pictures of the README: `npm run screenshots`. The status page shows made-up figures. */
const folder = join(import.meta.dirname, '../docs/images')
const maxBytes = 150_000

const browser = await launchBrowser()
if (!browser) throw new Error('Screenshots need Chromium: install it, or set CHROMIUM to its path')
const database = await createTestDatabase()
const owner = createDb(
  createPool(database.url, { max: 1, applicationName: 'screenshots', onError: () => {} }),
)
await prepareDatabase(owner, createSecrets([secretKey]))
const { app, origin } = await listenTestApp(database, {
  env: { LIMIT_DEMO_BURST: '20', LIMIT_DEMO_MINUTE: '60' },
})

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

/** `from`: a selector of what stands at the top; without it, the top of the page. */
const shoot = async (
  name: string,
  path: string,
  ready: (page: Page) => Promise<unknown>,
  height: number,
  from = 'body',
) => {
  const { page, close } = await openWindow(browser, origin + path)
  await page.setViewportSize({ width: 1280, height })
  await ready(page)
  const file = join(folder, `${name}.png`)
  await page.evaluate(`document.querySelector('${from}').scrollIntoView()`)
  await page.screenshot({ path: file })
  await close()
  const { size } = statSync(file)
  if (size > maxBytes) throw new Error(`${file} has ${size} bytes, more than ${maxBytes}`)
  process.stdout.write(`${file}: ${size} bytes\n`)
}

try {
  mkdirSync(folder, { recursive: true })
  await plantMinutes()
  await app.serviceStatus.refresh()
  await shoot('home', '/', (page) => page.evaluate('document.fonts.ready'), 760)
  await shoot('status', '/status', async () => {}, 1440)
  await shoot('demo', '/demo#markets', (page) => page.waitForSelector('.matrix'), 815)
  await shoot('history', '/demo#history', (page) => page.waitForSelector('.record-timeline'), 720, '.stage')
} finally {
  await browser.close()
  await app.close()
  await owner.destroy()
  await database.close()
}
