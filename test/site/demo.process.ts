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
    columns: ['At (UTC)', 'Product', 'Country', 'Status'],
    request: /updated_at\[gte\]=today-1d/,
  },
  {
    key: 'history',
    name: 'What happened to a record?',
    words: /^Approval of Tracker Mini for Australia: 8 entries, the last one on /,
    picture: '.record-timeline ol > li',
    count: 8,
    columns: ['At (UTC)', 'What', 'Field', 'From', 'To'],
    request: /approvals\/apr-tracker-mini-au\/history\?limit=20/,
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
  await untilSaid(page, /approvals changed since yesterday/)
  t.equal(
    await page.textContent('#question'),
    'What changed since yesterday?',
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

t.test('questions and tabs work by keyboard', async (t) => {
  const { page, close } = await open('/demo')
  await untilSaid(page, /certificates/)
  await page.keyboard.press('Tab')
  t.ok(await isFocused(page, 'a.skip'), 'first a link past the navigation')
  await tabTo(page, 'a[href="#approvals"]')
  await page.keyboard.press('Enter')
  await untilSaid(page, /approvals are under way/)
  await tabTo(page, '#tab-table')
  await page.keyboard.press('ArrowLeft')
  t.ok(await isFocused(page, '#tab-python'))
  t.match(await page.textContent('#code'), /approvals[\s\S]*urlopen\(/)
  await close()
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

/** What the timeline shows of each entry: its kind, its title, and what changed. */
const readTimeline = async (page: Page) => {
  const entries = await page.locator('.record-timeline ol > li').all()
  return Promise.all(
    entries.map(async (entry) => {
      const title = (await entry.locator('h4').textContent()) ?? ''
      const [first = ''] = await entry.locator('ul li, p').allTextContents()
      return `${await entry.getAttribute('class')}: ${title.replace(/[\d:]{8} UTC/, '').trim()} | ${first}`
    }),
  )
}

t.test('the timeline shows the stages of a record in words, and each record has an address', async (t) => {
  const { page, faults, close } = await open('/demo#history')
  await untilSaid(page, /^Approval of Tracker Mini/)
  const shown = await readTimeline(page)
  t.ok(
    shown.some(
      (entry) => entry === 'update: Changed | status: from\u00a0in review →  to information requested',
    ),
    shown.join('\n'),
  )
  t.match(shown.at(-1), /^create: Created \| status: /)
  await page.focus('#record')
  await page.keyboard.type('The same')
  await untilSaid(page, /^The same certificate, entered twice and then deleted: [23] entries,/)
  t.ok(await isFocused(page, '#record'), 'the list keeps the focus')
  t.match(page.url(), /#history\/certificates\/crt-smartlock-au-twice$/)
  // On a few days of each four weeks it was created again.
  const timeline = await readTimeline(page)
  t.match(
    timeline.find((entry) => entry.startsWith('delete')),
    /Deleted \| approval status: pending/,
  )
  await page.click('.record-timeline .delete summary')
  t.match(await page.textContent('.record-timeline .delete details'), /title: SmartLock 4 “Brücke”, RCM/)
  t.same(await findViolations(page), [])
  await page.click('#reference')
  await page.waitForURL(/\/docs#tag\/history\/GET\/v1\/certificates\/\{id\}\/history$/)
  await page.goBack()
  await untilSaid(page, /^The same certificate/)
  t.same(faults, [])
  await close()
})

t.test('every record that the demo offers has a history, and another one leads to its own', async (t) => {
  const { page, close } = await open('/demo#history/products/prd-tracker-mini')
  await untilSaid(page, /^products\/prd-tracker-mini: 1 entry/)
  const offered = await page.evaluate<string[]>(
    `[...document.querySelector('#record').options].map((o) => o.value)`,
  )
  t.equal(offered.length, 10)
  for (const record of offered) {
    await page.evaluate(`location.hash = 'history/${record}'`)
    await page.locator('#code', { hasText: record }).waitFor({ state: 'attached' })
    t.ok(Number((await page.textContent('#said'))?.match(/: (\d+) entr/)?.[1]) >= 1, record)
  }
  await page.evaluate(`location.hash = 'history/products/prd-unknown'`)
  await untilSaid(page, /^404 Not Found/)
  t.notOk(await page.isVisible('.record-timeline'))
  await close()
})

t.test('a change and its undoing arrive in the open history of the record', async (t) => {
  const { page, faults, close } = await open('/demo')
  await untilSaid(page, /certificates/)
  await page.click('#change')
  await page.click('#live-history')
  t.ok(await isFocused(page, '#question'), 'the link leads up to the answer')
  const [record = ''] = page.url().split('#history/').slice(1)
  t.match(record, /^approvals\/apr-/)
  await page.locator('.record-timeline').waitFor()
  const [changed = ''] = await readTimeline(page)
  t.match(changed, /^update: Changed \| status: from/)
  await sql`update demo_changes set until = now() where until is not null`.execute(owner)
  await sql`select from change_demo_record(false)`.execute(database.reader)
  await page.locator('.record-timeline .news').waitFor()
  const [undone = '', before] = await readTimeline(page)
  t.equal(before, changed)
  const [from, to] = changed.split('from\u00a0').at(-1)?.split(' →  to ') ?? []
  t.match(undone, `just now | status: from\u00a0${to} →  to ${from}`)
  t.same(await findViolations(page), [])
  t.same(faults, [])
  await close()
})

t.test('without JavaScript the demo says so, and shows nothing that does not work', async (t) => {
  const { page, close } = await open('/demo', { javaScript: false })
  t.ok(await page.isVisible('noscript .notice'))
  t.notOk(await page.isVisible('.questions'))
  t.notOk(await page.isVisible('#demo'))
  t.equal(await page.getAttribute('noscript a', 'href'), '/docs/guides/quick-start')
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
  for (const record of ['certificates/crt-smartlock-au', 'approvals/apr-smartlock-br']) {
    await page.selectOption('#record', record)
    await page.locator('#code', { hasText: record }).waitFor({ state: 'attached' })
  }
  await page.click('a[href="#markets"]')
  for (const i of [0, 1, 2]) {
    await page.locator('.matrix button').nth(i).click()
    await page.waitForSelector('#why .notice')
  }
  await page.click('#change')
  await page.waitForSelector('#live-figures:not([hidden])')
  await page.click('#live-history')
  await page.locator('.record-timeline .news, .record-timeline .update').first().waitFor()
  await page.click('#twice')
  await page.waitForSelector('#compare table')
  const left = Number(
    await page.locator('#figures div', { hasText: 'Left this minute' }).locator('dd').textContent(),
  )
  t.comment(`${used} requests seen, ${60 - left} counted`)
  t.ok(left >= 30, `${left} of 60 are left`)
  t.same(faults, [])
  await close()
})

t.test('what the calendar changed is marked as such', async (t) => {
  await sql`alter table certificates disable trigger user`.execute(owner)
  await sql`update history_begun set since = since - interval '200 days'`.execute(owner)
  await sql`update certificates set created_at = created_at - interval '120 days', valid_until = current_date - 1,
    valid_until_sort = current_date - 1 where customer_id = 'demo' and id = 'crt-tracker-mini-br'`.execute(
    owner,
  )
  await sql`alter table certificates enable trigger user`.execute(owner)
  const { page, faults, close } = await open('/demo#history/certificates/crt-tracker-mini-br')
  await page.locator('.record-timeline').waitFor()
  t.match(await readTimeline(page), [
    /^day: Expired by the calendar, at 00:00 UTC \| validity: from.valid → {2}to expired/,
    /^day: Entered its expiry window by the calendar, at 00:00 UTC \| expiring: from.no → {2}to yes/,
    /^create: Created/,
  ])
  t.equal(await page.locator('.record-timeline h3').count(), 3, 'a heading for each day')
  t.same(await findViolations(page), [])
  t.same(faults, [])
  await close()
})
