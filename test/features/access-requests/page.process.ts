import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import t from 'tap'
import { closeAfter, createTestDatabase, listenTestApp } from '../../helper.ts'
import {
  checkLooks,
  findViolations,
  isFocused,
  type Look,
  openWindow,
  startBrowser,
  tabTo,
} from '../../site/browser.ts'

const browser = await startBrowser(t)
const database = await createTestDatabase()
const clock = { offsetMs: 0 }
const { app, origin } = await listenTestApp(database, { clock })
closeAfter(t, app, database)
const open = (path: string, look?: Look) => openWindow(browser, origin + path, look)

/** The console's messages about errors that the test provokes. */
const isAsked = (fault: string) => /status of (400|404|429)/.test(fault)
const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key)
}
const fill = async (page: Page, values: Record<string, string>) => {
  for (const [id, value] of Object.entries(values)) await page.fill(`#${id}`, value)
}
const good = { company: 'Acme GmbH', name: 'Ada Example', email: 'ada@acme.example', message: 'Our ERP' }

t.test('the access form marks missing and refused values at their fields', async (t) => {
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
  t.notMatch(receipt, '00:00')
  t.same(await findViolations(page), [])
  t.same(
    faults.filter((fault) => !isAsked(fault)),
    [],
  )
  await close()
})

t.test('the access form works without JavaScript', async (t) => {
  const { page, close } = await open('/access', { javaScript: false })
  t.equal(await page.getAttribute('#name', 'dir'), 'auto', 'a name may be written from right to left')
  await fill(page, good)
  await page.check('#consent')
  clock.offsetMs += 5_000
  await page.click('form button')
  await page.waitForURL('**/access')
  t.match(await page.textContent('main'), /Your request has arrived/)
  await close()
})

t.test('the page meets accessibility rules in light and dark, and fits a phone', async (t) => {
  await checkLooks(t, await open('/access'), '/access', async (page) => {
    await page.click('button[type=submit]')
    await page.waitForSelector('#outcome.bad')
  })
})
