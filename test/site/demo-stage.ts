import type { Page } from 'playwright-core'
import t from 'tap'
import { createSecrets } from '../../app/config/secrets.ts'
import { prepareDatabase } from '../../app/local/prepare.ts'
import { connectOwner, createTestDatabase, listenTestApp, secretKey, type TestClock } from '../helper.ts'
import { type Look, launchBrowser, openWindow } from './browser.ts'

/** Starts a browser and a service on a prepared database, with the real limits of the demo token. */
export const createDemoStage = async () => {
  const browser = await launchBrowser()
  if (!browser) {
    t.comment('There is no Chromium: nothing of what the demo does in a browser is tested')
    t.pass('the demo in a browser', { skip: 'chromium is not installed' })
    process.exit(0)
  }
  const database = await createTestDatabase()
  const owner = connectOwner(database)
  await prepareDatabase(owner, createSecrets([secretKey]))
  const clock: TestClock = { offsetMs: 0 }
  const env = { LIMIT_DEMO_BURST: '20', LIMIT_DEMO_MINUTE: '60' }
  const { app, origin } = await listenTestApp(database, { clock, env })
  t.teardown(async () => {
    await browser.close()
    await app.close()
    await owner.destroy()
    await database.close()
  })
  return {
    database,
    owner,
    /** Opens a page. The clock moves a minute first, so that each visit has the whole quota. */
    open: (path: string, look?: Look) => {
      clock.offsetMs += 60_000
      return openWindow(browser, origin + path, look)
    },
  }
}

export const untilSaid = (page: Page, begins: RegExp) => page.locator('#said', { hasText: begins }).waitFor()

export const isFocused = (page: Page, selector: string) =>
  page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`)

/** Presses Tab until an element with this selector has the focus. Returns the number of presses. */
export const tabTo = async (page: Page, selector: string) => {
  for (let i = 0; i < 80; i++) {
    if (await isFocused(page, selector)) return i
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not lead to ${selector}`)
}
