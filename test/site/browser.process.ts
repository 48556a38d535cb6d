import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import t from 'tap'
import { loadExampleData } from '../../app/local/example-data.ts'
import { loadReferenceData } from '../../app/local/reference/load.ts'
import { createTestDatabase, listenTestApp } from '../helper.ts'
import { findViolations, type Look, launchBrowser, openWindow } from './browser.ts'

const browser = await launchBrowser()
if (!browser) {
  t.comment('There is no Chromium: nothing of what the pages do in a browser is tested')
  t.pass('the pages in a browser', { skip: 'chromium is not installed' })
  process.exit(0)
}
const database = await createTestDatabase()
await loadReferenceData(database.operator)
await loadExampleData(database.operator, new Date().toISOString().slice(0, 10))
const clock = { offsetMs: 0 }
const { app, origin } = await listenTestApp(database, { clock })
t.teardown(async () => {
  await browser.close()
  await app.close()
  await database.close()
})

const open = (path: string, look?: Look) => openWindow(browser, origin + path, look)
/** The console's messages about errors that the test provokes. */
const isAsked = (fault: string) => /status of (400|404|429)/.test(fault)
const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key)
}
const isFocused = (page: Page, selector: string) =>
  page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`)
const tabTo = async (page: Page, selector: string) => {
  for (let i = 0; i < 80; i++) {
    if (await isFocused(page, selector)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not lead to ${selector}`)
}

const fill = async (page: Page, values: Record<string, string>) => {
  for (const [id, value] of Object.entries(values)) await page.fill(`#${id}`, value)
}
const good = { company: 'Acme GmbH', name: 'Ada Example', email: 'ada@acme.example', message: 'Our ERP' }

t.test('the form marks missing fields and refused values at their fields', async (t) => {
  const { page, faults, close } = await open('/access', { hasClock: true })
  await tabTo(page, 'form button')
  await press(page, 'Enter')
  t.ok(await isFocused(page, '#outcome'), 'the summary has the focus')
  t.equal(await page.locator('[aria-invalid=true]').count(), 5)
  await page.locator('#outcome a').first().click()
  t.ok(await isFocused(page, '#company'), 'and leads to the field')
  await fill(page, { ...good, email: 'nobody' })
  await page.check('#consent')
  await page.click('form button')
  t.match(await page.textContent('#email-fault'), /not an e-mail address/)
  t.equal(await page.locator('[aria-invalid=true]').count(), 1)
  // Only the service refuses control characters.
  await fill(page, { email: good.email })
  await page.evaluate(`document.querySelector('#company').value = 'Acme \u0007'`)
  await page.clock.fastForward(5_000)
  await page.click('form button')
  await page.waitForSelector('#company-fault:not([hidden])')
  t.match(await page.textContent('#company-fault'), /control characters/)
  await fill(page, good)
  await page.click('form button')
  await page.waitForSelector('#outcome[role=status]')
  const receipt = await page.textContent('#outcome')
  t.match(receipt, /Your request has arrived.*You will hear from us by/s)
  const { rows } = await sql<{ id: string; email: string }>`
    select request_id as id, email from access_requests`.execute(database.operator)
  t.match(rows, [{ email: good.email }])
  t.match(receipt, rows[0]?.id)
  t.same(await findViolations(page), [])
  t.same(
    faults.filter((fault) => !isAsked(fault)),
    [],
  )
  await close()
})

t.test('the form works without JavaScript', async (t) => {
  const { page, close } = await open('/access', { javaScript: false })
  await fill(page, good)
  await page.check('#consent')
  clock.offsetMs += 5_000
  await page.click('form button')
  await page.waitForURL('**/access')
  t.match(await page.textContent('main'), /Your request has arrived/)
  await close()
})

t.test('the status page shows the measurements and renews itself', async (t) => {
  const { page, faults, close } = await open('/status', { hasClock: true })
  t.match(await page.textContent('#state'), /Not enough measurements/)
  t.match(await page.textContent('#empty'), /This service is new\. Measuring beg/)
  t.notOk(await page.isVisible('.measured'), 'a new service has one message')
  t.equal(await page.locator('#days rect.none').count(), 90, 'days without figures are no good days')
  const measured = app.serviceStatus.document()
  const { now } = measured.periods
  const until = new Date().toISOString()
  app.serviceStatus.document = () => ({
    ...measured,
    status: 'down',
    headline: 'The service does not answer correctly',
    note: 'Below the promise: availability over 24 hours.',
    generated_at: until,
    measured_since: '2026-11-01T00:00:00Z',
    periods: {
      ...measured.periods,
      now: {
        ...now,
        until,
        minutes: 5,
        availability: 0.98765,
        verdicts: { ...now.verdicts, availability: 'broken' },
      },
      '30d': { ...measured.periods['30d'], minutes: 2, availability: 1 },
    },
    incidents: [
      { from: '2026-11-20T10:00:00Z', until: null, minutes: 7, kind: 'unreported', availability: 0 },
    ],
  })
  await page.clock.fastForward(11_000)
  await page.locator('#state[role=status]', { hasText: 'does not answer' }).waitFor()
  t.notOk(await page.isVisible('#empty'), 'an incident is never hidden')
  await page.click('summary')
  await page.clock.fastForward(11_000)
  t.ok(await page.isVisible('#points'), 'an open table stays open')
  t.match(await page.textContent('#incidents'), /20 Nov, 10:00 UTC, going on for 7 min/)
  t.match(await page.textContent('#figures'), /98\.7 %/, 'never rounded up')
  t.equal(await page.locator('#figures td.bad').count(), 1, 'red if the service says so')
  t.match(await page.locator('#figures thead th').nth(1).textContent(), /Last 5 minutesmeasured/)
  t.match(await page.locator('#figures thead th').nth(3).textContent(), /30 days2 min measured/)
  t.equal(await page.textContent('#note'), 'Below the promise: availability over 24 hours.')
  await page.getByRole('link', { name: '90 days' }).click()
  await page.locator('#latency svg[aria-label*="last 90 days"]').waitFor()
  t.equal(await page.getAttribute('.switch [aria-current]', 'href'), '/status?span=days#time')
  t.same(await findViolations(page), [])
  t.same(faults, [])
  await close()
})

t.test('the status page needs no JavaScript', async (t) => {
  const { page, close } = await open('/status?span=none-such', { javaScript: false })
  t.match(await page.textContent('#figures'), /98\.7 %/)
  t.match(await page.getAttribute('#latency svg', 'aria-label'), /last 24 hours/)
  await close()
})
