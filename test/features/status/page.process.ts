import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import t from 'tap'
import type { StatusDocument } from '../../../app/features/status/document.ts'
import { findStatusSpan, statusPage } from '../../../app/features/status/page.ts'
import { closeAfter, connectOwner, createTestDatabase, listenTestApp, until } from '../../helper.ts'
import { checkLooks, findViolations, openWindow, startBrowser } from '../../site/browser.ts'

const browser = await startBrowser(t)
const database = await createTestDatabase()
const owner = connectOwner(database)
const { app, origin } = await listenTestApp(database)
closeAfter(t, app, owner, database)

/** A service that fails, and has an incident. */
const createFailing = (measured: StatusDocument): StatusDocument => {
  const { now } = measured.periods
  const until = new Date().toISOString()
  return {
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
      {
        from: '2026-11-20T10:00:00Z',
        until: null,
        minutes: 7,
        kind: 'unreported',
        availability: 0,
        maintenance: null,
      },
    ],
  }
}

/** From now on, the browser gets the page of a failing service. */
const failIn = async (page: Page) => {
  const measured = (await app.inject('/status.json')).json<StatusDocument>()
  await page.route(/\/status(\?|$)/, async (route) => {
    const span = findStatusSpan(new URL(route.request().url()).searchParams.get('span'))
    const { file } = app.site.layOut(statusPage(createFailing(measured), span, { name: undefined }))
    await route.fulfill({ response: await route.fetch(), body: file.body })
  })
}

t.test('the status page refreshes its figures', async (t) => {
  const { page, faults, close } = await openWindow(browser, `${origin}/status`, { hasClock: true })
  t.match(await page.textContent('#state'), /Not enough measurements/)
  t.match(await page.textContent('#empty'), /This service is new\. Measuring beg/)
  t.notOk(await page.isVisible('.measured'), 'a new service has one message')
  t.equal(await page.locator('#days rect.none').count(), 90, 'days without figures are not shown as good')
  await failIn(page)
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
  const look = { javaScript: false }
  const { page, close } = await openWindow(browser, `${origin}/status?span=none-such`, look)
  await failIn(page)
  await page.reload()
  t.match(await page.textContent('#figures'), /98\.7 %/)
  t.match(await page.getAttribute('#latency svg', 'aria-label'), /last 24 hours/)
  await close()
})

t.test('with figures, both pages meet accessibility rules and fit the window', async (t) => {
  await sql`insert into service_minutes select m, 'a', 63, 20, 0, 20, 30, 18, 90, array[20]
    from generate_series(date_trunc('minute', now()) - interval '2 hours', now() - interval '1 minute', '1 minute') m`.execute(
    owner,
  )
  const measured = await listenTestApp(database, { started: Promise.resolve() })
  closeAfter(t, measured.app)
  const isMeasured = async () => (await measured.app.inject('/status.json')).json().measured_since !== null
  await until('it has read the minutes', isMeasured)
  for (const path of ['/', '/status'])
    await checkLooks(t, await openWindow(browser, measured.origin + path), path, async () => {})
  const { page, close } = await openWindow(browser, `${measured.origin}/status`)
  for (const width of [1280, 390, 844]) {
    await page.setViewportSize({ width, height: 850 })
    const height = (await page.locator('#latency .times span').first().boundingBox())?.height ?? 0
    t.ok(height > 11 && height < 20, `${width} px: labels of charts are ${height} px high`)
  }
  await close()
})
