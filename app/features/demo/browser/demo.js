import { find, make } from '../../../site/browser/ui.js'
import { isHit, send } from './answer.js'
import { downloadWorkbook } from './excel.js'
import { startHistory, toHistory, toRecord } from './history.js'
import { startLive } from './live.js'
import { questions } from './questions.js'
import { startSaving } from './saving.js'
import { clearAnswers, describe, getTable, say, showAnswers, startStage, token } from './stage.js'
import { askWhy } from './why.js'

/** @typedef {import('./table.js').Question} Question @typedef {import('./live.js').Event} Event */

/** Number of requested answers. An answer is dropped if another one was requested since. */
let turn = 0
/** @type {Question | undefined} */
let shown

/** The record whose history is open, as `<resource>/<id>`. @type {string | undefined} */
let record

/** @param {Question} question @param {Event[]} [changed] records to highlight */
const ask = async (question, changed = []) => {
  const mine = ++turn
  const answers = await Promise.all(question.targets.map((target) => send(target, token))).catch((error) => {
    if (mine === turn) throw error
  })
  if (!answers || mine !== turn) return
  const refused = answers.find(({ status }) => status !== 200)
  if (refused) {
    showAnswers(question.targets, [refused], { name: question.key, columns: question.columns, records: [] })
    return say(`${describe(refused)} ${refused.body?.detail ?? ''}`)
  }
  const bodies = answers.map(({ body }) => body)
  const { words, picture, records } = question.show(bodies, (row) => void askWhy(row).catch(failed))
  find('#why', HTMLElement).querySelector(':scope > button')?.remove()
  redraw(picture, changed)
  showAnswers(question.targets, answers, { name: question.key, columns: question.columns, records })
  say(words)
  return answers
}

/** Replaces the picture. The same cell keeps the focus. @param {Node} picture @param {Event[]} changed records to highlight */
const redraw = (picture, changed) => {
  const box = find('#picture', HTMLElement)
  const focused = document.activeElement?.closest('#picture [data-key]')?.getAttribute('data-key')
  box.replaceChildren(picture)
  /** @param {string} key */
  const keyed = (key) => box.querySelector(`[data-key="${CSS.escape(key)}"]`)
  if (focused) keyed(focused)?.querySelector('button')?.focus()
  for (const { data } of changed)
    for (const key of [data?.status, `${data?.product_id} ${data?.country_code}`, 'today'])
      keyed(key)?.classList.add('changed')
}

const failed = (/** @type {unknown} */ error) => {
  clearAnswers(shown?.targets ?? [])
  const again = make('button', { type: 'button' }, 'Try again')
  again.addEventListener('click', () => void open(shown?.key ?? '').catch(failed))
  find('#why', HTMLElement).replaceChildren(again)
  say(error instanceof Error ? error.message : String(error))
}

/** @param {Event} event */
const isInPicture = ({ resource, id }) =>
  shown?.key === 'history' ? record === `${resource}/${id}` : shown?.key !== 'expiring'

/** @param {Event[]} events */
const showArrived = (events) => {
  const changed = events.filter(isInPicture)
  if (shown && changed.length > 0) void ask(shown, changed).catch(failed)
}

/** Marks the link of a question and returns its text. @param {string} key */
const mark = (key) => {
  const list = find('.questions', HTMLElement)
  const link = find(`a[href="#${key}"]`, HTMLElement, list)
  list.querySelector('[aria-current]')?.removeAttribute('aria-current')
  link.setAttribute('aria-current', 'true')
  // On a phone the list is a strip that scrolls sideways.
  list.scrollLeft = link.offsetLeft - list.offsetLeft - 20
  return find('strong', HTMLElement, link).textContent
}

/** `expiring` shows no approval, and `history` a single record. The button changes any of five approvals. @param {Question} question */
const showsApprovals = ({ key }) => key !== 'expiring' && key !== 'history'

/** @param {string} key */
const open = async (key) => {
  record = toRecord(key)
  const question = record ? toHistory(record) : questions.find((each) => each.key === key)
  if (!question) return
  shown = question
  find('#question', HTMLElement).textContent = mark(question.key)
  find('#record-block', HTMLElement).hidden = record === undefined
  find('#change', HTMLElement).textContent = showsApprovals(question)
    ? 'Change a record'
    : 'Open the approvals and change one'
  find('#picture', HTMLElement).replaceChildren()
  find('#why', HTMLElement).replaceChildren()
  say('Asking …')
  return ask(question)
}

const keys = new Set(questions.map(({ key }) => key))
/** Returns the fragment if it is a question. Other fragments are anchors. */
const named = () => {
  const key = location.hash.slice(1)
  return keys.has(key) || toRecord(key) ? key : undefined
}
const route = () => {
  const key = named()
  if (key) void open(key).catch(failed)
}

/** If the first answer is not from a cache, asks again, so that the shown time is typical. @param {string} key */
const openFirst = async (key) => {
  const answers = await open(key)
  if (shown && answers?.some((answer) => !isHit(answer))) await ask(shown)
}

startStage()
startHistory()
startLive({
  onClick() {
    if (shown && !showsApprovals(shown)) location.hash = 'approvals'
  },
  onEvents: showArrived,
})
startSaving()
find('#excel', HTMLElement).addEventListener('click', () => downloadWorkbook(getTable()))
addEventListener('hashchange', route)
const strip = matchMedia('(max-width: 60rem)')
document.addEventListener('click', ({ target }) => {
  if (!(target instanceof Element)) return
  // The link to a history is below the answer that it opens.
  if (target.closest('main a[href^="#history/"]')) find('#question', HTMLElement).focus()
  if (strip.matches && target.closest('.questions a[href^="#"]'))
    find('#question', HTMLElement).scrollIntoView()
})
void openFirst(named() ?? 'expiring').catch(failed)
