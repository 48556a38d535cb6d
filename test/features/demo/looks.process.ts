import t from 'tap'
import { loadExampleData } from '../../../app/local/example-data.ts'
import { closeAfter, createTestDatabase, listenTestApp } from '../../helper.ts'
import { checkLooks, openWindow, startBrowser } from '../../site/browser.ts'

const browser = await startBrowser(t)
const database = await createTestDatabase()
await loadExampleData(database.operator, new Date().toISOString().slice(0, 10))
const { app, origin } = await listenTestApp(database)
closeAfter(t, app, database)

t.test('the page meets accessibility rules, logs no errors, and fits the window', async (t) => {
  const page = await openWindow(browser, `${origin}/demo`)
  await checkLooks(t, page, '/demo', (opened) => opened.waitForSelector('.timeline li'))
})
