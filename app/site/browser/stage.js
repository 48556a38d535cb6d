import { bytesOf, phrase, showBodies, showFigures } from './answer.js'
import { snippets } from './query.js'
import { showAnyTable, showTable } from './table.js'
import { startTabs } from './tabs.js'
import { addCopyButton, find, milliseconds, number } from './ui.js'

/**
 * The part of the page that shows requests and their answers: table, JSON, and the request in three languages.
 * @typedef {import('./answer.js').Answer} Answer
 * @typedef {import('./questions.js').Shown} Shown
 * @typedef {import('./questions.js').Column} Column
 */

/** The published token. */
export const token = find('#demo', HTMLElement).dataset.token ?? ''

/** @type {'curl' | 'javascript' | 'python'} */
let language = 'curl'
/** @type {string[]} */
let targets = []

/** Shows these requests in the chosen language. @param {string[]} asked */
export const showRequest = (asked) => {
  targets = asked
  const urls = targets.map((target) => location.origin + target)
  find('#code', HTMLElement).textContent = snippets(urls, token)[language]
}

/** @param {string} words */
export const say = (words) => {
  find('#said', HTMLElement).textContent = words
}

/** What an answer was like, in a sentence. @param {Answer} answer */
export const describe = (answer) => {
  const { status, body, ms } = answer
  const records = Array.isArray(body?.data)
    ? `, ${number(body.data.length)} ${body.data.length === 1 ? 'record' : 'records'}`
    : ''
  return `${phrase(status)}${records}, ${number(bytesOf(answer))} bytes in ${milliseconds(ms)}.`
}

/**
 * Shows answers beside what is on the left.
 * @param {string[]} asked
 * @param {Answer[]} answers
 * @param {{ columns: Column[], records: Shown['records'] }} [table] absent: what the first body has
 */
export const showAnswers = (asked, answers, table) => {
  showRequest(asked)
  showFigures(answers)
  showBodies(find('#body pre', HTMLElement), answers)
  const box = find('#table-box', HTMLElement)
  if (table) showTable(box, table.columns, table.records)
  else showAnyTable(box, answers[0]?.body)
}

/** Makes the tabs work. */
export const startStage = () => {
  for (const box of document.querySelectorAll('.codebox')) addCopyButton(/** @type {HTMLElement} */ (box))
  startTabs(document, (name) => {
    find('#table-box', HTMLElement).hidden = name !== 'table'
    find('#body', HTMLElement).hidden = name !== 'json'
    const isCode = name !== 'table' && name !== 'json'
    find('#snippet', HTMLElement).hidden = !isCode
    if (!isCode) return
    language = /** @type {typeof language} */ (name)
    showRequest(targets)
  })
}
