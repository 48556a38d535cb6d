import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { moment } from '../../../app/site/browser/units.js'
import { withoutTriggers } from '../../helper.ts'
import { findViolations, isFocused, tabTo } from '../../site/browser.ts'
import { createDemoStage, untilSaid } from './stage.ts'

const { database, owner, open } = await createDemoStage()

/** `columns` of the table are empty if the picture shows everything. */
const questions = [
  {
    key: 'expiring',
    name: 'What expires in the next 90 days?',
    words: /^7 certificates end within 90 days\. The first is that of Lumen Gateway, Kuwait/,
    picture: '.timeline li',
    count: [7],
    columns: ['Product and country', 'Number', 'Type', 'Authority', 'Holder', 'Valid until'],
    request: /certificates\?expiring=true/,
  },
  {
    key: 'markets',
    name: 'Where may this product be sold today, and why not?',
    words: /^\d+ of \d+ product–country combinations may be sold today/,
    picture: '.matrix tbody tr',
    count: [11],
    columns: ['Product and country', 'Reason', 'Scheme', 'Certificate', 'Valid until'],
    request: /certificates\?country_code\[null\]=false[\s\S]*approvals\?/,
  },
  {
    key: 'approvals',
    name: 'How far along are my approvals?',
    words: /^\d+ of \d+ approvals are in progress/,
    picture: '.stages li',
    count: [11],
    columns: ['Product', 'Country', 'Scheme', 'Stage', 'Phase', 'Submitted on', 'Expected on'],
    request: /approvals\?sort=expected_on/,
  },
  {
    key: 'changes',
    name: 'What changed in the last four weeks?',
    words: /^Approvals took (2[5-9]|3\d) steps/,
    picture: '.columns li',
    count: [28],
    columns: ['At (UTC)', 'Product and country', 'From', 'To'],
    request: /history\?resource=approvals&since=today-27d/,
  },
  {
    key: 'history',
    name: 'What happened to a record?',
    words: /^Approval of Tracker Mini for Australia: [89] entries, the last one on /,
    picture: '.record-timeline ol > li',
    count: [8, 9],
    columns: [],
    request: /approvals\/apr-tracker-mini-au\/history\?limit=20/,
  },
] as const

const checkTabs = async (t: Test, page: Page, { key, columns, request }: (typeof questions)[number]) => {
  const hasTable = columns.length > 0
  t.equal(await page.isVisible('#tab-table'), hasTable, key)
  if (hasTable) {
    t.same(await page.locator('#table-box thead th').allTextContents(), columns)
    t.ok((await page.locator('#table-box tbody tr').count()) >= 5)
    const overflow = await page.evaluate<number>(
      `document.querySelector('#table-box').scrollWidth - document.querySelector('#table-box').clientWidth`,
    )
    t.ok(overflow <= 0, `${key}: the table is ${overflow} px too wide`)
    await page.click('#tab-json')
  }
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
  if (hasTable) await page.click('#tab-table')
}

t.test('the page answers the first question immediately, and others after a click', async (t) => {
  const { page, faults, hosts, close } = await open('/demo')
  await page.locator('#figures', { hasText: 'hit' }).waitFor({ state: 'attached' })
  t.notOk(await page.isVisible('#figures'), 'figures are for developers')
  for (const question of questions) {
    if (question.key !== 'expiring') await page.getByRole('link', { name: question.name }).click()
    await untilSaid(page, question.words)
    t.equal(await page.textContent('#question'), question.name)
    const count = await page.locator(`#picture ${question.picture}`).count()
    t.ok(
      question.count.some((each) => each === count),
      `${question.key}: ${count}`,
    )
    t.equal(await page.getAttribute(`a[href="#${question.key}"]`, 'aria-current'), 'true')
    await checkTabs(t, page, question)
    t.same(await findViolations(page), [], question.key)
  }
  t.same(faults, [])
  t.equal(hosts.size, 1, 'no other hosts')
  await page.goBack()
  await untilSaid(page, /^Approvals took/)
  t.equal(
    await page.textContent('#question'),
    'What changed in the last four weeks?',
    'Back leads to the previous question',
  )
  await close()
})

t.test('each question has a URL, and is readable on a phone and in dark colors', async (t) => {
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

t.test('a table that scrolls shows how many of its rows are visible', async (t) => {
  const { page, close } = await open('/demo#approvals')
  await untilSaid(page, /approvals are in progress/)
  const rows = await page.locator('#table-box tbody tr').count()
  const readCount = async () =>
    Number((await page.textContent('#rows-shown'))?.match(`^(\\d+) of ${rows} rows are visible`)?.[1])
  const shown = await readCount()
  t.ok(shown >= 5 && shown < rows, `${shown} of ${rows}`)
  await page.locator('#table-box').evaluate((box) => box.scrollTo(0, 200))
  await page.setViewportSize({ width: 390, height: 844 })
  await page.locator('#rows-shown', { hasText: `of ${rows}` }).waitFor()
  t.ok((await readCount()) <= shown, 'counted again, because rows are higher on a phone')
  await page.click('#tab-json')
  t.notOk(await page.isVisible('#rows-shown'))
  await page.click('#tab-table')
  await page.locator('#rows-shown').waitFor()
  await page.setViewportSize({ width: 1280, height: 844 })
  await page.click('a[href="#expiring"]')
  await untilSaid(page, /certificates end/)
  t.notOk(await page.isVisible('#rows-shown'), 'all rows are visible')
  await close()
})

t.test('approvals in progress are the first rows', async (t) => {
  const { page, close } = await open('/demo#approvals')
  await untilSaid(page, /approvals are in progress/)
  const [inProgress] = (await page.textContent('#said'))?.match(/^\d+/) ?? []
  const stages = await page.locator('#table-box tbody td:nth-child(4)').allTextContents()
  const isOpen = (stage: string) =>
    !['planned', 'granted', 'rejected', 'cancelled', 'not required'].includes(stage)
  t.ok(Number(inProgress) > 5)
  t.same([...new Set(stages.map(isOpen))], [true, false])
  t.equal(stages.filter(isOpen).length, Number(inProgress))
  await close()
})

t.test('the button says if it opens the approvals', async (t) => {
  const { page, close } = await open('/demo')
  for (const { key, words } of questions) {
    await page.click(`a[href="#${key}"]`)
    await untilSaid(page, words)
    const opens = key === 'expiring' || key === 'history'
    const name = opens ? 'Open the approvals and change one' : 'Change a record'
    t.equal(await page.textContent('#change'), name, key)
  }
  await close()
})

t.test('a valid certificate without an end is unlimited, and no cell about it is blank', async (t) => {
  const { page, close } = await open('/demo#markets')
  await page.waitForSelector('.matrix')
  const rows = await page
    .locator('#table-box tbody tr')
    .evaluateAll((lines) =>
      lines.map((line) => [...line.querySelectorAll('td')].map((cell) => cell.textContent)),
    )
  const certified = rows.filter(([, reason]) => /certificate valid|^approved as requested/.test(reason ?? ''))
  t.ok(certified.some((row) => row[4] === 'unlimited'))
  t.same(
    certified.filter((row) => row[4] === ''),
    [],
  )
  await page.getByRole('button', { name: /^Lumen Gateway, Germany: yes/ }).click()
  await page.waitForSelector('#why .notice')
  t.equal(await page.locator('#table-box tbody td').last().textContent(), 'unlimited')
  await close()
})

t.test('the table and the reasons of a cell name the certificate that decides', async (t) => {
  const { page, close } = await open('/demo#markets')
  await page.waitForSelector('.matrix')
  const row = page.locator('#table-box tr', { hasText: 'Hub Classic, Germany' })
  const shown = await row.locator('td').allTextContents()
  t.match(shown, ['Hub Classic, Germany', 'certificate valid', 'CE RED', /^EXD-DoC-/, 'unlimited'])
  const readReasons = async (name: RegExp) => {
    const title = name.source.replace(/^\^|:.*/g, '')
    await page.getByRole('button', { name }).click()
    await page.locator('#why .notice', { hasText: title }).waitFor()
    return page.locator('#why li').allTextContents()
  }
  t.match(await readReasons(/^Hub Classic, Germany: yes/), [
    /^CE marking .*: certificate valid$/,
    /^without a scheme: certificate expired, until /,
  ])
  t.match(await page.textContent('#table-box'), 'without a scheme')
  t.match(await readReasons(/^Lumen Gateway LTE, Brazil: /), [
    /: certificate not yet valid, valid from 20\d\d-\d\d-\d\d, until 20\d\d-\d\d-\d\d$/,
  ])
  t.match(await readReasons(/^ChargePad 15 W, United Kingdom: yes, certificate valid/), [
    /^UKCA .*: certificate valid$/,
    'CE marking also recognised in Great Britain: nothing on record for this country',
  ])
  t.match(await page.textContent('#picture'), 'A certificate counts only for the country that it names.')
  await close()
})

t.test('if the service cannot be reached, no earlier answer and no button of it stays', async (t) => {
  const { page, close } = await open('/demo#markets')
  await page.waitForSelector('.matrix')
  await page.route('**/v1/**', (route) => route.abort())
  await page.click('a[href="#approvals"]')
  await untilSaid(page, /^The service cannot be reached\. Wait a moment, then try again\.$/)
  t.equal(await page.textContent('#table-box'), '')
  for (const button of ['#excel', '#change']) t.notOk(await page.isVisible(button), button)
  await page.unroute('**/v1/**')
  await page.click('#why button')
  await untilSaid(page, /approvals are in progress/)
  for (const button of ['#excel', '#change']) t.ok(await page.isVisible(button), button)
  t.ok((await page.locator('#table-box tbody tr').count()) > 5)
  t.equal(await page.textContent('#why'), '')
  await close()
})

t.test('on a phone, code and wide tables scroll, and their edges have a shadow', async (t) => {
  const { page, close } = await open('/demo#markets')
  await page.waitForSelector('.matrix')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.click('#tab-curl')
  for (const selector of ['.matrix-box .scroll', '#snippet pre']) {
    const { hidden, lines, shadows } = await page.evaluate<{
      hidden: number
      lines: string
      shadows: number
    }>(`(() => {
      const box = document.querySelector('${selector}')
      const { backgroundImage, whiteSpace } = getComputedStyle(box)
      const hidden = box.scrollWidth - box.clientWidth
      return { hidden, lines: whiteSpace, shadows: backgroundImage.split('linear-gradient').length - 1 }
    })()`)
    t.ok(hidden > 50, `${selector}: ${hidden} px`)
    t.notMatch(lines, 'wrap', selector)
    t.equal(shadows, 4, selector)
  }
  await close()
})

t.test('on a phone the questions form a strip, and a tap scrolls to the answer', async (t) => {
  const { page, close } = await open('/demo#changes')
  await page.setViewportSize({ width: 390, height: 844 })
  await untilSaid(page, /^Approvals took/)
  const { height = 0 } = (await page.locator('.questions').boundingBox()) ?? {}
  t.ok(height > 60 && height < 180, `${height} px high`)
  await page.click('a[href="#history"]')
  await untilSaid(page, /^Approval of Tracker Mini/)
  const { y = -1 } = (await page.locator('#question').boundingBox()) ?? {}
  t.ok(y >= 0 && y < 40, `the answer is at ${y} px`)
  await close()
})

t.test('questions and tabs work by keyboard', async (t) => {
  const { page, close } = await open('/demo')
  await untilSaid(page, /certificates/)
  await page.keyboard.press('Tab')
  t.ok(await isFocused(page, 'a.skip'), 'first a link past the navigation')
  await tabTo(page, 'a[href="#approvals"]')
  await page.keyboard.press('Enter')
  await untilSaid(page, /approvals are in progress/)
  await tabTo(page, '#tab-table')
  await page.keyboard.press('ArrowLeft')
  t.ok(await isFocused(page, '#tab-python'))
  t.match(await page.textContent('#code'), /approvals[\s\S]*urlopen\(/)
  await close()
})

t.test('a cell of the matrix shows its reasons, and arrow keys move between cells', async (t) => {
  const { page, faults, close } = await open('/demo#markets')
  await page.waitForSelector('.matrix')
  await tabTo(page, '.matrix button')
  t.match(await page.textContent('.tip'), /^ChargePad 15 W, Germany/, 'full names on focus')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowRight')
  t.ok(await isFocused(page, '.matrix button'))
  await page.keyboard.press('Tab')
  t.notOk(await isFocused(page, '.matrix button'), 'Tab leaves the grid')
  t.notOk(await page.isVisible('.tip'))
  await page.locator('.matrix thead th', { hasText: 'AE' }).hover()
  t.equal(await page.textContent('.tip'), 'United Arab Emirates', 'full names on hover')
  t.match(await page.textContent('.legend'), /nothing on record/)
  const cell = page.getByRole('button', { name: /^LevelSense.*Germany: no, approval preparing/ })
  await cell.hover()
  t.match(await page.textContent('.tip li'), /^CE marking \(RED 2014\/53\/EU\): no, approval preparing$/)
  await cell.click()
  await page.waitForSelector('#why .notice')
  t.match(await page.textContent('#why'), /CE marking \(RED 2014\/53\/EU\): approval preparing/)
  t.match(await page.textContent('#code'), /custom\/market-access\?product_id=prd-levelsense&country_code=DE/)
  t.same(await findViolations(page), [])
  t.same(faults, [])
  await close()
})

const undo = async () => {
  await sql`update demo_changes set until = now() where until is not null`.execute(owner)
  await sql`select from change_demo_record(false)`.execute(database.reader)
}

t.test('the picture shows a change with its delay, and later its undoing', async (t) => {
  const { page, faults, close } = await open('/demo')
  await untilSaid(page, /certificates/)
  // Example records go through stages, so their number depends on the day.
  const inTesting = await sql<{ n: number }>`
    select count(*)::integer as n from approvals where customer_id = 'demo' and status = 'testing'`.execute(
    owner,
  )
  await page.click('#change')
  const said = page.locator('#live-said', { hasText: 'after the commit' })
  await said.waitFor()
  t.match(
    await said.textContent(),
    /^LevelSense 60 GHz Radar, Germany: preparing → testing, [\d.]+ m?s after the commit\./,
  )
  t.match(page.url(), /#approvals$/)
  await page.locator('.stages .changed').waitFor()
  t.equal(await page.textContent('.stages .changed'), `testing${(inTesting.rows[0]?.n ?? 0) + 1}`)
  t.ok(await page.isDisabled('#change'), 'an address changes one record in 10 s')
  await page.click('a[href="#markets"]')
  await page.waitForSelector('.matrix')
  await undo()
  await page.locator('#live-said', { hasText: 'Germany: testing → preparing. Undone.' }).waitFor()
  await page.locator('.matrix .changed').waitFor()
  t.equal(await page.getAttribute('.matrix .changed', 'data-key'), 'prd-levelsense DE')
  t.same(await findViolations(page), [])
  t.same(faults, [])
  await close()
})

/** Returns the header and the rows of a workbook, as the page shows them. */
const readWorkbook = (path: string): string[][] => {
  execFileSync('python3', ['-m', 'zipfile', '-t', path])
  const [sheet = ''] = /<worksheet.*<\/worksheet>/s.exec(readFileSync(path, 'utf8')) ?? []
  return [...sheet.matchAll(/<row [^>]*>(.*?)<\/row>/g)].map(([, row = '']) =>
    [...row.matchAll(/<c r="[A-Z]\d+" s="(\d)"[^>]*>.*?(?:<t[^>]*>([^<]*)<\/t>|<v>(.*?)<\/v>).*?<\/c>/g)].map(
      ([, style, text = '', serial]) => {
        if (serial === undefined)
          return text.replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&amp;', '&')
        const at = new Date(Date.UTC(1899, 11, 30) + Math.round(Number(serial) * 86_400_000)).toISOString()
        return style === '2' ? at.slice(0, 10) : moment(at).replace(' UTC', '')
      },
    ),
  )
}

const readTable = (page: Page) =>
  page
    .locator('#table-box tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)))

const download = async (page: Page) => {
  const [file] = await Promise.all([page.waitForEvent('download'), page.click('#excel')])
  return { name: file.suggestedFilename(), rows: readWorkbook(await file.path()) }
}

t.test('each table downloads as an Excel workbook with the same columns and rows', async (t) => {
  const { page, faults, close } = await open('/demo')
  for (const { key, words, columns } of questions) {
    await page.click(`a[href="#${key}"]`)
    await untilSaid(page, words)
    t.equal(await page.isVisible('#excel'), columns.length > 0, key)
    if (columns.length === 0) continue
    const { name, rows } = await download(page)
    t.equal(name, `${key}.xlsx`)
    t.ok(rows.length > 5)
    t.same(rows, await readTable(page), key)
  }
  await page.click('a[href="#markets"]')
  await page.getByRole('button', { name: /^Lumen Gateway, Germany: yes/ }).click()
  await page.waitForSelector('#why .notice')
  const reasons = await download(page)
  t.equal(reasons.name, 'prd-lumen-gateway-DE.xlsx')
  t.same(reasons.rows, await readTable(page), 'the reasons of a cell')
  t.same(faults, [])
  await close()
})

/** Returns a line for each entry: kind, title, and its first value. */
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

t.test('the timeline shows the changes of a record in words, and each record has a URL', async (t) => {
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
  await untilSaid(page, /^The same certificate, entered twice and then deleted: [234] entries,/)
  t.ok(await isFocused(page, '#record'), 'the list keeps the focus')
  t.match(page.url(), /#history\/certificates\/crt-smartlock-au-twice$/)
  // Depending on the day of the run, the example creates this record again after the deletion.
  const timeline = await readTimeline(page)
  t.match(
    timeline.find((entry) => entry.startsWith('delete')),
    /Deleted \| approval status: pending/,
  )
  await page.click('.record-timeline .delete summary')
  t.match(await page.textContent('.record-timeline .delete details'), /title: SmartLock 4 “Brücke”, RCM/)
  t.same(await findViolations(page), [])
  await page.click('#developers summary')
  await page.click('#reference')
  await page.waitForURL(/\/docs#tag\/history\/GET\/v1\/certificates\/\{id\}\/history$/)
  await page.goBack()
  await untilSaid(page, /^The same certificate/)
  t.same(faults, [])
  await close()
})

t.test('every listed record has a history, and the URL of another record shows its history', async (t) => {
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

t.test('the open history of a record shows a change and the undone change', async (t) => {
  const { page, faults, close } = await open('/demo')
  await untilSaid(page, /certificates/)
  await page.click('#change')
  await page.click('#live-said a')
  t.ok(await isFocused(page, '#question'), 'the link leads up to the answer')
  const [record = ''] = page.url().split('#history/').slice(1)
  t.match(record, /^approvals\/apr-/)
  await page.locator('.record-timeline').waitFor()
  const [changed = ''] = await readTimeline(page)
  t.match(changed, /^update: Changed \| status: from/)
  await undo()
  await page.locator('.record-timeline .news').waitFor()
  const [undone = '', before] = await readTimeline(page)
  t.equal(before, changed)
  const [from, to] = changed.split('from\u00a0').at(-1)?.split(' →  to ') ?? []
  t.match(undone, `just now | status: from\u00a0${to} →  to ${from}`)
  t.same(await findViolations(page), [])
  t.same(faults, [])
  await close()
})

t.test('without JavaScript the demo shows a notice and no controls', async (t) => {
  const { page, close } = await open('/demo', { javaScript: false })
  t.ok(await page.isVisible('noscript .notice'))
  t.notOk(await page.isVisible('.questions'))
  t.notOk(await page.isVisible('#demo'))
  t.equal(await page.getAttribute('noscript a', 'href'), '/docs/guides/quick-start')
  await close()
})

t.test('the page compares the bytes of a long answer with its 304', async (t) => {
  const { page, faults, close } = await open('/demo')
  await untilSaid(page, /certificates/)
  await page.click('#developers summary')
  await page.click('#twice')
  await page.waitForSelector('#compare table')
  const [whole, empty] = await page.locator('#compare tbody tr').all()
  const readBytes = async (row: typeof whole) =>
    Number((await row?.locator('td').first().textContent())?.replace(/\D/g, ''))
  t.ok((await readBytes(whole)) > 5_000)
  t.equal(await readBytes(empty), 0)
  t.match(await empty?.textContent(), /304, not modified.* ms$/)
  t.same(await findViolations(page), [])
  t.same(faults, [])
  await close()
})

t.test('a visitor who opens everything uses at most 30 of the 60 requests of a minute', async (t) => {
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
  await page.click('#live-said a')
  await page.locator('.record-timeline .news, .record-timeline .update').first().waitFor()
  await page.click('#developers summary')
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

t.test('the timeline marks changes by the calendar', async (t) => {
  const expire = `update certificates set created_at = created_at - interval '120 days', valid_until = current_date - 1,
    valid_until_sort = current_date - 1 where customer_id = 'demo' and id = 'crt-tracker-mini-br'`
  await owner.transaction().execute(async (transaction) => {
    for (const statement of [
      `update history_begun set since = since - interval '200 days'`,
      withoutTriggers('certificates', expire),
      // Without it, the service would find wrong answers in its cache and begin the history again.
      `insert into change_log (customer_id, resource, record_id) values ('demo', 'certificates', '*')`,
    ])
      await sql.raw(statement).execute(transaction)
  })
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
