import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { findViolations } from './browser.ts'
import { createDemoStage, isFocused, tabTo, untilSaid } from './demo-stage.ts'

const { database, owner, open } = await createDemoStage()

/** What each question shows: its words, its picture, the head of its table, and what its request asks. */
const questions = [
  {
    key: 'expiring',
    name: 'What expires in the next 90 days?',
    words: /^7 certificates end within 90 days\. The first is that of Lumen Gateway, Kuwait/,
    picture: '.timeline li',
    count: 7,
    columns: ['Product', 'Country', 'Scheme', 'Valid until', 'Days left', 'Number'],
    request: /certificates\?expiring=true/,
  },
  {
    key: 'markets',
    name: 'Where may this product be sold today, and why not?',
    words: /^\d+ of \d+ pairs of product and country are open for sale today/,
    picture: '.matrix tbody tr',
    count: 11,
    columns: ['Product', 'Country', 'May be sold today'],
    request: /certificates\?country_code\[null\]=false[\s\S]*approvals\?/,
  },
  {
    key: 'approvals',
    name: 'How far are my approvals?',
    words: /^\d+ of \d+ approvals are under way/,
    picture: '.stages li',
    count: 11,
    columns: ['Product', 'Country', 'Scheme', 'Stage', 'Expected on'],
    request: /approvals\?sort=expected_on/,
  },
  {
    key: 'changes',
    name: 'What changed since yesterday?',
    words: /^\d+ approvals changed since yesterday/,
    picture: '.columns [class^=fill]',
    count: 48,
    columns: ['Changed at', 'Product', 'Country', 'Status'],
    request: /updated_at\[gte\]=today-1d/,
  },
] as const

/** Goes through the tabs of the answer. */
const checkTabs = async (t: Test, page: Page, { columns, request }: (typeof questions)[number]) => {
  t.same(await page.locator('#table-box thead th').allTextContents(), columns)
  t.ok((await page.locator('#table-box tbody tr').count()) >= 5)
  await page.click('#tab-json')
  const [body] = ((await page.textContent('#body pre')) ?? '').split('\n\n')
  t.ok(JSON.parse(body as string).data.length >= 5, 'the JSON that was answered')
  t.notOk(await page.isVisible('#table-box'))
  for (const [language, mark] of [
    ['curl', /^curl -g '/],
    ['javascript', /await fetch\(/],
    ['python', /urlopen\(Request\(/],
  ] as const) {
    await page.click(`#tab-${language}`)
    const code = await page.textContent('#code')
    t.match(code, mark)
    t.match(code, request, language)
    t.match(code, /cda_demo_public/)
  }
  await page.click('#tab-table')
}

t.test('the page opens with an answered question, and each question is one click', async (t) => {
  const { page, faults, hosts, close } = await open('/demo')
  for (const question of questions) {
    if (question.key !== 'expiring') await page.getByRole('link', { name: question.name }).click()
    await untilSaid(page, question.words)
    t.equal(await page.textContent('#question'), question.name)
    t.equal(await page.locator(`#picture ${question.picture}`).count(), question.count, question.key)
    t.equal(await page.getAttribute(`a[href="#${question.key}"]`, 'aria-current'), 'true')
    await checkTabs(t, page, question)
    t.same(await findViolations(page), [], question.key)
  }
  t.same(faults, [])
  t.equal(hosts.size, 1, 'nothing comes from elsewhere')
  await page.goBack()
  await untilSaid(page, /under way/)
  t.equal(
    await page.textContent('#question'),
    'How far are my approvals?',
    'the way back leads to the question before',
  )
  await close()
})

t.test('each question has an address, and looks right on a phone and in the dark', async (t) => {
  for (const { key, words } of questions) {
    const { page, faults, close } = await open(`/demo#${key}`, { colorScheme: 'dark' })
    await page.setViewportSize({ width: 390, height: 844 })
    await untilSaid(page, words)
    t.ok(await page.isVisible('#picture > *'), key)
    t.same(await findViolations(page), [], key)
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    t.ok(overflow <= 0, `${key}: ${overflow} px too wide`)
    t.same(faults, [])
    await close()
  }
})

t.test('a cell of the matrix says why, and arrow keys lead through it', async (t) => {
  const { page, faults, close } = await open('/demo#markets')
  await page.waitForSelector('.matrix')
  await tabTo(page, '.matrix button')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowRight')
  t.ok(await isFocused(page, '.matrix button'))
  await page.keyboard.press('Tab')
  t.notOk(await isFocused(page, '.matrix button'), 'Tab leads past the other cells')
  await page.getByRole('button', { name: /^LevelSense.*Germany: no, approval preparing/ }).click()
  await page.waitForSelector('#why .notice')
  t.match(await page.textContent('#why'), /No CE RED: approval preparing/)
  t.match(await page.textContent('#code'), /custom\/market-access\?product_id=prd-levelsense&country_code=DE/)
  t.same(await findViolations(page), [])
  t.same(faults, [])
  await close()
})

t.test('a change is seen to arrive, with its milliseconds, and to be undone', async (t) => {
  const { page, faults, close } = await open('/demo')
  await untilSaid(page, /certificates/)
  await page.click('#change')
  await page.waitForSelector('#live-figures:not([hidden])')
  t.match(await page.textContent('#events li'), /^[\d:.]+ UTC apr-levelsense-de: testing$/)
  t.match(await page.textContent('#event-ms'), /^[\d.]+ m?s$/)
  t.comment(
    `stored after ${await page.textContent('#stored-ms')}, arrived after ${await page.textContent('#event-ms')}`,
  )
  t.ok(await page.isDisabled('#change'), 'an address changes one record in 10 s')
  await sql`update demo_changes set until = now() where until is not null`.execute(owner)
  await sql`select from change_demo_record(false)`.execute(database.reader)
  await page.locator('#events li', { hasText: 'preparing' }).waitFor()
  t.equal(await page.locator('#events li').count(), 2)
  t.same(await findViolations(page), [])
  t.same(faults, [])
  await close()
})

t.test('a page of 500 and its 304: bytes and milliseconds', async (t) => {
  const { page, faults, close } = await open('/demo')
  await untilSaid(page, /certificates/)
  await page.click('#twice')
  await page.waitForSelector('#compare table')
  const [whole, empty] = await page.locator('#compare tbody tr').all()
  const bytesOf = async (row: typeof whole) =>
    Number((await row?.locator('td').first().textContent())?.replace(/\D/g, ''))
  t.ok((await bytesOf(whole)) > 5_000)
  t.equal(await bytesOf(empty), 0)
  t.match(await empty?.textContent(), /304, not modified.* ms$/)
  t.same(await findViolations(page), [])
  t.same(faults, [])
  await close()
})

t.test('a visit of everything uses at most 30 of the 60 requests of a minute', async (t) => {
  const { page, faults, close } = await open('/demo')
  let used = 0
  page.on('response', (response) => {
    if (response.headers().ratelimit !== undefined && response.status() !== 304) used++
  })
  await untilSaid(page, /certificates/)
  for (const { key, words } of questions) {
    await page.click(`a[href="#${key}"]`)
    await untilSaid(page, words)
  }
  await page.click('a[href="#markets"]')
  for (const i of [0, 1, 2]) {
    await page.locator('.matrix button').nth(i).click()
    await page.waitForSelector('#why .notice')
  }
  await page.click('#change')
  await page.waitForSelector('#live-figures:not([hidden])')
  await page.click('#twice')
  await page.waitForSelector('#compare table')
  await page.click('a[href="#request"]')
  await untilSaid(page, /^200/)
  await page.click('#send')
  await untilSaid(page, /^200/)
  const left = Number(
    await page.locator('#figures div', { hasText: 'Left this minute' }).locator('dd').textContent(),
  )
  t.comment(`${used} requests seen, ${60 - left} counted`)
  t.ok(left >= 30, `${left} of 60 are left`)
  t.same(faults, [])
  await close()
})
