import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import type { Test } from 'tap'

const program = process.env.CHROMIUM ?? '/usr/bin/chromium'
const patienceMs = 90_000

/** Starts Chromium. If it is not installed, returns `undefined`, or throws if REQUIRE_CHROMIUM=1. */
export const launchBrowser = async (): Promise<Browser | undefined> => {
  if (existsSync(program))
    return await chromium.launch({ executablePath: program, args: ['--no-sandbox'], timeout: patienceMs })
  if (process.env.REQUIRE_CHROMIUM === '1') throw new Error(`REQUIRE_CHROMIUM=1, but there is no ${program}`)
  return undefined
}

/** Starts Chromium until the end of the test file. If it is not installed, skips the file. */
export const startBrowser = async (t: Pick<Test, 'pass' | 'teardown'>): Promise<Browser> => {
  const browser = await launchBrowser()
  if (!browser) {
    t.pass('pages in a browser', { skip: `there is no ${program}` })
    process.exit(0)
  }
  t.teardown(() => browser.close())
  return browser
}

export type Look = { javaScript?: boolean; colorScheme?: 'light' | 'dark'; hasClock?: boolean }

/** Opens a page. `hasClock`: the test moves its time. `faults` collects messages of console, policy and network. */
export const openWindow = async (browser: Browser, url: string, look: Look = {}) => {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 850 },
    colorScheme: look.colorScheme ?? 'light',
    javaScriptEnabled: look.javaScript !== false,
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(patienceMs)
  const page = await context.newPage()
  if (look.hasClock) await page.clock.install()
  const faults: string[] = []
  const hosts = new Set<string>()
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('requestfailed', (request) => {
    const { errorText } = request.failure() ?? {}
    // A navigation ends the requests of the page before.
    if (errorText !== 'net::ERR_ABORTED') faults.push(`${request.url()}: ${errorText}`)
  })
  page.on('request', (request) => hosts.add(new URL(request.url()).host))
  await page.goto(url)
  return { page, faults, hosts, close: () => context.close() }
}

/** Returns a line for each violation that axe-core finds. `within`: a selector; defaults to the whole page. */
export const findViolations = async (page: Page, within?: string): Promise<string[]> => {
  // The content security policy would refuse a script element, but not this.
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(
    (root) => (globalThis as unknown as { axe: typeof axe }).axe.run(root ?? 'html'),
    within,
  )
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
  )
}

/** Tables without a name, neither of their own nor of the box in which they scroll. */
export const listUnnamedTables = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('main table')].filter((table) => {
    const hasName = (element) => element && (element.ariaLabel ||
      document.getElementById(element.getAttribute('aria-labelledby'))?.textContent)
    return !hasName(table) && !hasName(table.closest('[role=group], [role=region]'))
  }).map((table) => table.outerHTML.slice(0, 100))`)

export const isFocused = (page: Page, selector: string) =>
  page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`)

/** Presses Tab until an element with this selector has the focus. */
export const tabTo = async (page: Page, selector: string) => {
  for (let i = 0; i < 80; i++) {
    if (await isFocused(page, selector)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not lead to ${selector}`)
}

export const looks = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 1280 },
  { colorScheme: 'dark', width: 390 },
] as const

/** A window of 1280 px at a zoom of 400 % (WCAG 1.4.10). */
const zoomed = { colorScheme: 'light', width: 320 } as const

/** The width of A4 without its margins. */
const paperWidth = 718

/** Elements that cut off their content. */
const listCut = (page: Page) =>
  page.evaluate<
    string[]
  >(`[...document.querySelectorAll('main :not(.visually-hidden, select, input, textarea)')]
    .filter((element) => getComputedStyle(element).overflowX !== 'visible' && element.checkVisibility() &&
      (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1))
    .map((element) => element.outerHTML.slice(0, 100))`)

/** Expects that the printed page is light for a reader with dark pages, readable, and complete. */
const checkPaper = async (t: Pick<Test, 'same' | 'ok'>, page: Page, path: string): Promise<void> => {
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await page.setViewportSize({ width: paperWidth, height: 1000 })
  t.same(await findViolations(page), [], `${path}, printed`)
  const paper = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
  t.same(paper, 'rgb(255, 255, 255)', `${path}, printed`)
  t.same(await listCut(page), [], `${path}, printed: nothing is cut off`)
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  t.ok(overflow <= 0, `${path}, printed: ${overflow} px too wide`)
  t.same(await page.locator('header nav, footer ul, .search').filter({ visible: true }).count(), 0, path)
}

/** Expects in each look, and on paper, that the page meets accessibility rules, logs no errors and fits the window. Closes it. */
export const checkLooks = async (
  t: Pick<Test, 'same' | 'ok'>,
  { page, faults, hosts, close }: Awaited<ReturnType<typeof openWindow>>,
  path: string,
  untilReady: (page: Page) => Promise<unknown>,
): Promise<void> => {
  for (const { colorScheme, width } of [...looks, zoomed]) {
    await page.emulateMedia({ media: 'screen', colorScheme })
    await untilReady(page)
    await page.setViewportSize({ width, height: 850 })
    const name = `${path}, ${colorScheme}, ${width} px`
    // The rules check colors and names, which do not depend on the width.
    if (width > 600) t.same(await findViolations(page), [], name)
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    t.ok(overflow <= 0, `${name}: ${overflow} px too wide`)
  }
  t.same(await listUnnamedTables(page), [], path)
  await checkPaper(t, page, path)
  t.same(faults, [], path)
  t.same([...hosts], [new URL(page.url()).host], path)
  await close()
}
