import type { Page } from 'playwright-core'
import t from 'tap'
import { createSecrets } from '../../../app/config/secrets.ts'
import { features } from '../../../app/features.ts'
import { prepareDatabase } from '../../../app/local/prepare.ts'
import {
  closeAfter,
  connectOwner,
  createTestDatabase,
  listenTestApp,
  secretKey,
  type TestClock,
} from '../../helper.ts'
import { type Look, openWindow, startBrowser } from '../../site/browser.ts'

/** Starts a browser and a service on a prepared database, with the real limits of the demo token. */
export const createDemoStage = async () => {
  const browser = await startBrowser(t)
  const database = await createTestDatabase()
  const owner = connectOwner(database)
  await prepareDatabase(owner, createSecrets([secretKey]), { features })
  const clock: TestClock = { offsetMs: 0 }
  const env = { LIMIT_DEMO_BURST: '20', LIMIT_DEMO_MINUTE: '60' }
  const { app, origin } = await listenTestApp(database, { clock, env })
  closeAfter(t, app, owner, database)
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
