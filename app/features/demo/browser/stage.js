import { addCopyButton, find } from '../../../site/browser/ui.js'
import { milliseconds, number } from '../../../site/browser/units.js'
import { countBytes, phrase, showBodies, showFigures } from './answer.js'
import { snippets } from './snippets.js'
import { showTable, startTable } from './table.js'
import { startTabs } from './tabs.js'

/**
 * Shows answers as a table and as JSON, and their requests as code.
 * @typedef {import('./answer.js').Answer} Answer
 * @typedef {import('./table.js').Shown} Shown
 * @typedef {import('./table.js').Column} Column
 * @typedef {{ name: string, columns: Column[], records: Shown['records'] }} Table `name`: of a downloaded file
 */

const { token: demoToken = '', market = '{}' } = find('#demo', HTMLElement).dataset

export const token = demoToken
/** @type {import('./market.js').Rules} */
export const marketRules = JSON.parse(market)

/** @type {'curl' | 'javascript' | 'python'} */
let language = 'curl'
/** @type {string[]} */
let targets = []

const showCode = () => {
  const urls = targets.map((target) => location.origin + target)
  find('#code', HTMLElement).textContent = snippets(urls, token)[language]
}

/** @type {Table} */
let table = { name: '', columns: [], records: [] }
/** Returns the table on the screen. */
export const getTable = () => table

/** The tab that the visitor chose. Another one is shown if a question has no table. */
let chosen = 'table'
/** Selects a tab. @type {(name: string) => void} */
let selectTab = () => {}

/** @param {string} words */
export const say = (words) => {
  find('#said', HTMLElement).textContent = words
}

/** @param {Answer} answer */
export const describe = (answer) => {
  const { status, body, ms } = answer
  const records = Array.isArray(body?.data)
    ? `, ${number(body.data.length)} ${body.data.length === 1 ? 'record' : 'records'}`
    : ''
  return `${phrase(status)}${records}, ${number(countBytes(answer))} bytes in ${milliseconds(ms)}.`
}

/** @param {string[]} asked @param {Answer[]} answers @param {Table} shown */
export const showAnswers = (asked, answers, shown) => {
  targets = asked
  table = shown
  const { columns, records } = shown
  showCode()
  find('#live', HTMLElement).hidden = false
  // The service redirects `/demo?path=` to the operation in the reference.
  find('#reference', HTMLAnchorElement).href = `/demo?path=${encodeURIComponent(asked[0] ?? '')}`
  showFigures(answers)
  showBodies(find('#body pre', HTMLElement), answers)
  showTable(find('#table-box', HTMLElement), columns, records)
  const hasTable = columns.length > 0
  find('#tab-table', HTMLElement).hidden = !hasTable
  find('#excel', HTMLElement).hidden = records.length === 0 || !hasTable
  selectTab(hasTable || chosen !== 'table' ? chosen : 'json')
}

/** Removes the last answer with its buttons, because its question is no longer on the screen. @param {string[]} asked */
export const clearAnswers = (asked) => {
  targets = asked
  table = { name: '', columns: [], records: [] }
  showCode()
  for (const part of ['#figures', '#cache-words', '#headers tbody', '#table-box', '#body pre'])
    find(part, HTMLElement).replaceChildren()
  for (const part of ['#excel', '#live', '#rows-shown']) find(part, HTMLElement).hidden = true
}

export const startStage = () => {
  startTable(find('#table-box', HTMLElement))
  for (const box of document.querySelectorAll('.codebox')) addCopyButton(/** @type {HTMLElement} */ (box))
  const show = (/** @type {string} */ name) => {
    find('#table-box', HTMLElement).hidden = name !== 'table'
    find('#body', HTMLElement).hidden = name !== 'json'
    const isCode = name !== 'table' && name !== 'json'
    find('#snippet', HTMLElement).hidden = !isCode
    if (!isCode) return
    language = /** @type {typeof language} */ (name)
    showCode()
  }
  selectTab = startTabs(document, show, (name) => {
    chosen = name
  })
}
