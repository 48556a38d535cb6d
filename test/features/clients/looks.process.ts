import t from 'tap'
import { closeAfter, createTestDatabase, listenTestApp } from '../../helper.ts'
import { checkLooks, openWindow, startBrowser } from '../../site/browser.ts'

const browser = await startBrowser(t)
const database = await createTestDatabase()
const { app, origin } = await listenTestApp(database)
closeAfter(t, app, database)

t.test('the page meets accessibility rules, logs no errors, and fits the window', async (t) => {
  const page = await openWindow(browser, `${origin}/clients/`)
  await checkLooks(t, page, '/clients/', async () => {})
})
