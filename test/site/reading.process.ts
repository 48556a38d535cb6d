import type { Page } from 'playwright-core'
import t from 'tap'
import { loadExampleData } from '../../app/local/example-data.ts'
import { createTestDatabase, listenTestApp } from '../helper.ts'
import { findViolations, type Look, launchBrowser, openWindow } from './browser.ts'

const browser = await launchBrowser()
if (!browser) {
  t.comment('There is no Chromium: search, copy buttons and contents are not tested')
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

const open = (path: string, look?: Look) => openWindow(browser, origin + path, look)
const find = async (page: Page, words: string) => {
  await page.keyboard.press('/')
  await page.locator('.finder input').fill(words)
  await page.locator('.finder [role=status]', { hasText: /result|Nothing/ }).waitFor()
  return page.locator('.finder li strong').allTextContents()
}

t.test('the search finds guides, endpoints and errors by keyboard alone', async (t) => {
  const { page, faults, hosts, close } = await open('/')
  t.match(await find(page, 'etag'), [/Send the ETag/], 'a heading with the word comes first')
  t.same(await findViolations(page), [])
  t.ok((await find(page, 'valid_until'))[0] !== undefined)
  t.match(await find(page, 'invalid_cursor'), [/^invalid_cursor$/])
  t.same(await find(page, 'xyzzy'), [])
  t.match(await page.textContent('.finder [role=status]'), 'Nothing found for “xyzzy”.')
  await page.keyboard.press('Escape')
  t.equal(await page.locator('dialog[open]').count(), 0)
  t.match(await find(page, 'order and pages'), ['Order and pages'])
  await page.keyboard.press('ArrowDown')
  t.ok(await page.evaluate<boolean>(`document.activeElement.matches('.finder a')`))
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs/guides/queries#order-and-pages')
  await find(page, 'follow changes')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs/guides/changes**')
  t.same(faults, [])
  t.equal(hosts.size, 1)
  await close()
})

t.test('a result of the reference opens its endpoint', async (t) => {
  const { page, faults, close } = await open('/docs/guides')
  await find(page, 'GET /v1/products/{id}')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs#tag/**')
  const [, anchor = ''] = page.url().split('#')
  const heading = page.locator(`[id$="/${decodeURIComponent(anchor)}"]`)
  await heading.waitFor()
  t.match(await heading.textContent(), 'Get one product')
  t.same(faults, [])
  await close()
})

t.test('the search works on the reference, and not while someone types in it', async (t) => {
  const { page, close } = await open('/docs/guides')
  await page.click('header [data-search]')
  await page.locator('.finder input').fill('a/b')
  t.equal(await page.locator('.finder input').inputValue(), 'a/b')
  await close()
})

t.test('code is copied unchanged, by button and by keyboard', async (t) => {
  const { page, faults, close } = await open('/docs/guides/queries')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const box = page.locator('.codebox[data-copy]').first()
  const shown = await box.locator('pre').textContent()
  await box.getByRole('button', { name: 'Copy' }).press('Enter')
  await box.getByRole('button', { name: 'Copied' }).waitFor()
  const copied = await page.evaluate<string>('navigator.clipboard.readText()')
  t.equal(copied, shown)
  t.match(copied, `curl -g '${origin}/v1/certificates?country_code=BR,MX&`)
  t.same(faults, [])
  await close()
})

t.test('contents lead to their headings, and no code is cut off', async (t) => {
  const { page, close } = await open('/docs/guides/operations')
  for (const width of [1440, 1280, 390]) {
    await page.setViewportSize({ width, height: 900 })
    const cut = await page.evaluate<number>(
      `[...document.querySelectorAll('.guide pre')].filter((pre) => pre.scrollWidth > pre.clientWidth).length`,
    )
    t.equal(cut, 0, `${width} px`)
  }
  await page.locator('.contents a', { hasText: 'Keys' }).click()
  await page.waitForURL('**/docs/guides/operations#keys')
  const top = await page.evaluate<number>(`document.querySelector('#keys').getBoundingClientRect().top`)
  t.ok(top >= 0 && top < 200, `${top} px below the top`)
  await close()
})

t.test('without JavaScript the start page has its picture, and figures as promised', async (t) => {
  const { page, close } = await open('/', { javaScript: false })
  t.equal(await page.locator('.markets tbody tr').count(), 6)
  t.match(await page.locator('.ends li').first().textContent(), /Lumen Gateway\s*Kuwait\s*.*today/)
  t.match(await page.textContent('[data-figure=freshness]'), '≤ 600 ms')
  t.equal(await page.locator('#state').count(), 0, 'no state without measurements')
  t.equal(await page.locator('button:visible').count(), 0, 'no button that does nothing')
  await close()
})

t.test('the picture of the start page agrees with the API', async (t) => {
  const { page, close } = await open('/')
  const list = async (path: string) => {
    const answer = await fetch(origin + path, { headers: { authorization: 'Bearer cda_demo_public' } })
    const { data, included } = (await answer.json()) as {
      data: { product_id: string; country_code: string; expiring?: boolean }[]
      included: { products: Record<string, { name: string }> }
    }
    return data.map(
      (row) => `${included.products[row.product_id]?.name} ${row.country_code} ${row.expiring === true}`,
    )
  }
  const sold = [
    ...(await list(
      '/v1/certificates?validity=valid&fields=product_id,country_code,expiring&include=product&limit=500',
    )),
    ...(await list(
      '/v1/approvals?status=not_required&fields=product_id,country_code&include=product&limit=500',
    )),
  ]
  const cells = (await page.evaluate(`[...document.querySelectorAll('.markets tbody tr')].flatMap((row) =>
    [...row.querySelectorAll('.cell')].map((cell, i) => [cell.className.split(' ')[1],
      row.querySelector('th').textContent + ' ' + document.querySelectorAll('.markets thead th')[i].textContent]))`)) as [
    tone: string,
    market: string,
  ][]
  t.equal(cells.length, 66)
  for (const [tone, market] of cells) {
    t.equal(sold.includes(`${market} false`), tone === 'good', market)
    t.equal(sold.includes(`${market} true`), tone === 'warn', market)
  }
  await close()
})
