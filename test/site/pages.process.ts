import type { Page } from 'playwright-core'
import t from 'tap'
import { loadExampleData } from '../../app/local/example-data.ts'
import { loadReferenceData } from '../../app/local/reference/load.ts'
import { closeAfter, createTestDatabase, listenTestApp } from '../helper.ts'
import { findViolations, type Look, openWindow, startBrowser } from './browser.ts'

const browser = await startBrowser(t)
const database = await createTestDatabase()
await loadReferenceData(database.operator)
await loadExampleData(database.operator, new Date().toISOString().slice(0, 10))
const { app, origin } = await listenTestApp(database)
closeAfter(t, app, database)

const open = (path: string, look?: Look) => openWindow(browser, origin + path, look)
const find = async (page: Page, words: string) => {
  await page.keyboard.press('/')
  await page.locator('.finder input').fill(words)
  await page.locator('.finder [role=status]', { hasText: /result|Nothing/ }).waitFor()
  return page.locator('.finder li strong').allTextContents()
}

t.test('the search finds guides, endpoints and errors by keyboard alone', async (t) => {
  const { page, faults, hosts, close } = await open('/')
  t.match(await find(page, 'etag'), [/Send the ETag/], 'a heading with the word is first')
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

t.test('a search result opens its endpoint in the reference', async (t) => {
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

t.test('typing / in the search enters the letter', async (t) => {
  const { page, close } = await open('/docs/guides')
  await page.click('header [data-search]')
  await page.locator('.finder input').fill('a/b')
  t.equal(await page.locator('.finder input').inputValue(), 'a/b')
  await close()
})

t.test('the copy button copies code unchanged', async (t) => {
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

t.test('the contents of a guide link to its headings, and no code is cut off', async (t) => {
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

t.test(
  'the start page of a new service shows its picture and the promises, without JavaScript',
  async (t) => {
    const { page, close } = await open('/', { javaScript: false })
    t.equal(await page.locator('.markets tbody tr').count(), 6)
    t.match(await page.locator('.ends li').first().textContent(), /Lumen Gateway\s*Kuwait\s*.*today/)
    t.match(await page.textContent('[data-figure=freshness]'), '≤ 600 ms')
    t.equal(await page.locator('#state').count(), 0, 'no state of the service')
    const promised = (await page.textContent('.band'))?.match(/promised/gi) ?? []
    t.equal(promised.length, 1, 'the figures are promises, said once')
    t.equal(await page.locator('button:visible').count(), 0, 'no button that does nothing')
    await close()
  },
)

t.test('every card of the start page is a link to an existing page', async (t) => {
  const { page, close } = await open('/')
  for (const selector of ['.uses li', '.resources > div']) {
    const cards = await page.locator(selector).all()
    t.equal(cards.length, 6, selector)
    for (const card of cards) {
      await card.scrollIntoViewIfNeeded()
      const { x = 0, y = 0, width = 0, height = 0 } = (await card.boundingBox()) ?? {}
      // Above and below the text of the link, too.
      for (const share of [0.1, 0.5, 0.9]) {
        const href = await page.evaluate<string | undefined>(
          `document.elementFromPoint(${x + width / 2}, ${y + height * share})?.closest('a')?.getAttribute('href')`,
        )
        t.match(href, /^\/(docs|demo#)/, `${selector}, ${share}`)
        t.equal((await fetch(`${origin}${href}`)).status, 200, `${href}`)
      }
    }
  }
  await close()
})
