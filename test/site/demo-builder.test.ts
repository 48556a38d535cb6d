import type { Page } from 'playwright-core'
import t from 'tap'
import { until } from '../helper.ts'
import { findViolations } from './browser.ts'
import { createDemoStage, isFocused, tabTo, untilSaid } from './demo-stage.ts'

const { open } = await createDemoStage()

/** What the browser itself notes of answers that are errors, asked for on purpose. */
const isAsked = (fault: string) => /status of (400|429)/.test(fault)
const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key)
}
const bodyOf = async (page: Page) => JSON.parse((await page.textContent('#body pre')) ?? '')

t.test('any request by keyboard: an endpoint, a filter, the answer, the next page', async (t) => {
  const { page, faults, close } = await open('/demo')
  await untilSaid(page, /certificates/)
  await press(page, 'Tab')
  t.ok(await isFocused(page, 'a.skip'), 'first a way past the navigation')
  await tabTo(page, 'a[href="#request"]')
  await press(page, 'Enter')
  await untilSaid(page, /^200/)
  t.ok((await tabTo(page, '#send')) <= 2, 'Send comes right after the questions and the endpoint')
  await page.focus('#endpoint')
  await page.keyboard.type('GET /v1/prod')
  t.equal(await page.inputValue('#endpoint'), '/v1/products')
  await tabTo(page, '#filter-block summary')
  await press(page, 'Enter')
  await tabTo(page, '#add-filter')
  await press(page, 'Enter')
  t.ok(await isFocused(page, '.filter *'), 'the new row has the focus')
  await tabTo(page, '.filter input[type=checkbox][value=active]')
  await press(page, 'Space')
  await page.focus('#send')
  await press(page, 'Enter')
  await untilSaid(page, /^200 OK, 3 records, [\d,]+ bytes in /)
  t.match(await page.textContent('#code'), /product_status=[a-z_,]*active/)
  const first = await bodyOf(page)
  t.equal(first.data.length, 3)
  t.match(await page.textContent('#cache-words'), /Read from the database/)
  t.match(await page.textContent('#headers'), /etag/)

  await tabTo(page, '#next')
  await press(page, 'Enter')
  await page.waitForSelector('#first:not([hidden])')
  t.notSame((await bodyOf(page)).data[0].id, first.data[0].id)
  t.match(await page.textContent('#code'), /cursor=/)
  await page.focus('#tab-curl')
  await press(page, 'ArrowRight')
  t.match(await page.textContent('#code'), /await fetch\(/)
  await press(page, 'ArrowRight')
  t.match(await page.textContent('#code'), /urlopen/)
  t.same(await findViolations(page), [])
  t.same(faults, [])
  await close()
})

t.test('on a phone the answer is in view once it is sent', async (t) => {
  const { page, close } = await open('/demo?path=/v1/custom/market-access')
  await page.setViewportSize({ width: 390, height: 844 })
  await untilSaid(page, /^200/)
  await page.click('#send')
  await until('the answer is in view', async () => {
    const box = await page.locator('#table-box').boundingBox()
    return box !== null && box.y >= 0 && box.y < 500
  })
  t.pass('in view')
  await close()
})

t.test('a question can be changed with the controls', async (t) => {
  const { page, close } = await open('/demo#approvals')
  await untilSaid(page, /under way/)
  await page.click('#edit')
  await untilSaid(page, /^200/)
  t.equal(await page.inputValue('#endpoint'), '/v1/approvals')
  t.match(await page.textContent('#code'), /sort=expected_on/)
  t.ok(await isFocused(page, '#endpoint'))
  await close()
})

t.test('a mistake is explained, and mended by what the answer suggests', async (t) => {
  const { page, faults, close } = await open('/demo?path=/v1/certificates')
  await untilSaid(page, /^200/)
  await page.click('#mistake')
  await page.waitForSelector('.faults li')
  await untilSaid(page, /^400 Bad Request/)
  t.equal(await page.locator('.faults li').count(), 2, 'both faults at once')
  t.same(await findViolations(page), [])
  await page.locator('.faults button').first().click()
  t.match(await page.locator('.faults li').first().textContent(), /Now /)
  await page.locator('.faults button').first().click()
  await page.click('#send')
  await untilSaid(page, /^200/)
  t.match(await page.textContent('#code'), /limit=3/, 'the name that was meant')

  await page.click('#mistake')
  await page.waitForSelector('#faults button.main')
  await page.getByRole('button', { name: 'Send the corrected query' }).click()
  await untilSaid(page, /^200/)
  t.equal(await page.locator('.faults').count(), 0)
  t.same(
    faults.filter((fault) => !isAsked(fault)),
    [],
  )
  await close()
})

t.test('the first Send of every endpoint is answered, and shows something', async (t) => {
  const { page, close } = await open('/demo#request')
  await untilSaid(page, /^200/)
  const paths = await page.evaluate<string[]>(
    `[...document.querySelectorAll('#endpoint option')].map(({ value }) => value)`,
  )
  for (const name of [
    'certificates',
    'products',
    'projects',
    'countries',
    'lab',
    'approvals',
    'me',
    'changes',
  ]) {
    t.ok(paths.includes(`/v1/${name}`), name)
  }
  t.ok(paths.includes('/v1/custom/market-access'))
  for (const path of paths) {
    await page.selectOption('#endpoint', path)
    if (path.includes('{id}'))
      await until('an id is offered', async () => (await page.inputValue('#record-id')) !== '')
    const answered = page.waitForResponse(
      (response) => response.url().includes('/v1/') && !response.url().includes('fields=id&'),
    )
    await page.click('#send')
    t.equal((await answered).status(), 200, path)
  }
  await close()
})

t.test('the change feed goes on from its token, and shows a change', async (t) => {
  const { page, faults, close } = await open('/demo?path=/v1/changes')
  await untilSaid(page, /^200.*No changes yet: the token says where to go on/)
  await page.getByRole('button', { name: 'Change a record, and wait for it' }).click()
  await untilSaid(page, /^200 OK, 1 record,/)
  t.match((await bodyOf(page)).data, [{ op: 'upsert', resource: 'approvals', id: /^apr-/ }])
  t.match(await page.textContent('#table-box'), /upsert.*approvals/)
  t.same(faults, [])
  await close()
})

t.test('a search box appears for what can be searched', async (t) => {
  const { page, close } = await open('/status')
  await page.route('**/openapi.json', async (route) => {
    const answer = await route.fetch()
    const document = await answer.json()
    const { parameters } = document.paths['/v1/products'].get
    if (!parameters.some(({ name = '' }) => name === 'q'))
      parameters.push({ name: 'q', in: 'query', description: 'Words.', schema: { type: 'string' } })
    await route.fulfill({ json: document })
  })
  await page.goto(page.url().replace('/status', '/demo?path=/v1/products'))
  await untilSaid(page, /^200/)
  await page.fill('#search', 'tracker mini')
  t.match(await page.textContent('#code'), /products\?.*q=tracker%20mini/)
  await page.selectOption('#endpoint', '/v1/me')
  t.notOk(await page.isVisible('#search'), 'and only there')
  await close()
})

t.test('the builder finds ids for histories, and takes a path with an id', async (t) => {
  const { page, faults, close } = await open('/demo#request')
  await untilSaid(page, /^200/)
  await page.selectOption('#endpoint', '/v1/certificates/{id}/history')
  await page.waitForFunction(`document.querySelector('#record-id').value.startsWith('crt-')`)
  t.equal(await page.locator('#record-ids option').count(), 20)
  await page.click('#send')
  await page.locator('#code', { hasText: '/history?limit=3' }).waitFor({ state: 'attached' })
  await untilSaid(page, /^200 OK, \d records?, /)
  t.equal((await bodyOf(page)).data[0].resource, 'certificates')
  await page.goto(page.url().replace('#request', '?path=/v1/products/prd-tracker-mini'))
  await untilSaid(page, /^200/)
  t.equal(await page.inputValue('#endpoint'), '/v1/products/{id}')
  t.equal((await bodyOf(page)).data.id, 'prd-tracker-mini')
  t.same(faults, [])
  await close()
})
