import type { Page } from 'playwright-core'
import t from 'tap'
import { loadExampleData } from '../../../app/local/example-data.ts'
import { loadReferenceData } from '../../../app/local/reference/load.ts'
import { closeAfter, createTestDatabase, listenTestApp } from '../../helper.ts'
import { openWindow, startBrowser } from '../../site/browser.ts'

const browser = await startBrowser(t)
const database = await createTestDatabase()
await loadReferenceData(database.operator)
await loadExampleData(database.operator, new Date().toISOString().slice(0, 10))
const { app, origin } = await listenTestApp(database)
closeAfter(t, app, database)

t.test('the picture of the start page agrees with the API', async (t) => {
  const { page, close } = await openWindow(browser, `${origin}/`)
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
  const readCells = (shown: Page, table: string) =>
    shown.evaluate<
      [market: string, tone: string, words: string][]
    >(`[...document.querySelectorAll('${table} tbody tr')]
      .flatMap((row) => [...row.querySelectorAll('td')].map((cell, i) => [cell.querySelector('[aria-label]') ?? cell, i])
      .map(([cell, i]) => [row.querySelector('th').textContent + ' ' +
        document.querySelectorAll('${table} thead th')[i].textContent,
        cell.className.split(' ').pop(), cell.getAttribute('aria-label') ?? '']))`)
  const cells = await readCells(page, '.markets')
  t.equal(cells.length, 66)
  for (const [market, tone] of cells) {
    if (sold.includes(`${market} false`)) t.ok(['good', 'half'].includes(tone), `${market} ${tone}`)
    else if (sold.includes(`${market} true`)) t.ok(['warn', 'half'].includes(tone), `${market} ${tone}`)
    else t.notOk(['good', 'warn', 'half'].includes(tone), `${market} ${tone}`)
  }
  await page.goto(`${origin}/demo#markets`)
  await page.waitForSelector('.matrix')
  const shown = new Map((await readCells(page, '.matrix')).map(([market, ...cell]) => [market, cell]))
  for (const [market, tone, words] of cells) {
    if (words === '') continue
    const [shownTone, label] = shown.get(market) ?? []
    t.equal(tone, shownTone, market)
    t.match(label, `: ${words}. `, market)
  }
  t.match(shown.get('Lumen Gateway LTE MX'), [
    'half',
    /: approved as requested, certificate valid until [\d-]+; NOM-208, IFT-008: nothing on record for this country\./,
  ])
  await close()
})
