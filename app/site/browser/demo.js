import { send } from './answer.js'
import { historyOf, recordOf, startHistory } from './history.js'
import { startLive } from './live.js'
import { questions } from './questions.js'
import { startSaving } from './saving.js'
import { describe, say, showAnswers, startStage, token } from './stage.js'
import { find, make } from './ui.js'

/** @typedef {import('./questions.js').Question} Question */

/** Counts the questions: an answer that comes after the next question is not shown. */
let turn = 0

/** Why a product may be sold in a country or not: the custom endpoint says. @param {string} product @param {string} country */
const askWhy = async (product, country) => {
  const asked = `/v1/custom/market-access?product_id=${encodeURIComponent(product)}&country_code=${country}`
  const answer = await send(asked, token)
  const { body } = answer
  if (answer.status !== 200) return say(describe(answer))
  showAnswers([asked], [answer], {
    columns: [
      { title: 'Scheme', of: (row) => row.scheme },
      { title: 'Allowed', of: (row) => (row.allowed ? 'yes' : 'no') },
      { title: 'Because', of: (row) => (row.because ?? '').replaceAll('_', ' ') },
      { title: 'Valid until', of: (row) => row.valid_until ?? '' },
    ],
    records: body.schemes,
  })
  const reasons = body.schemes.map((/** @type {any} */ { scheme, allowed, because }) =>
    make(
      'li',
      {},
      make('strong', { class: allowed ? 'good' : 'bad' }, allowed ? 'Yes' : 'No'),
      ` ${scheme ?? 'without a scheme'}: ${because.replaceAll('_', ' ')}`,
    ),
  )
  const needed = body.required_schemes?.length ? `Required there: ${body.required_schemes.join(', ')}.` : ''
  find('#why', HTMLElement).replaceChildren(
    make(
      'div',
      { class: 'notice' },
      make('p', {}, make('strong', {}, `${body.product?.name ?? product} in ${country}`), ` ${needed}`),
      make('ul', {}, ...reasons),
    ),
  )
}

/** The record whose history is open, as `<resource>/<id>`. @type {string | undefined} */
let record

/** @param {Question} question */
const ask = async (question) => {
  const mine = ++turn
  const answers = await Promise.all(question.targets.map((target) => send(target, token)))
  if (mine !== turn) return
  const refused = answers.find(({ status }) => status !== 200)
  if (refused) {
    showAnswers(question.targets, [refused], { columns: question.columns, records: [] })
    return say(`${describe(refused)} ${refused.body?.detail ?? ''}`)
  }
  const bodies = answers.map(({ body }) => body)
  const { words, picture, records } = question.show(
    bodies,
    (product, country) => void askWhy(product, country).catch(failed),
  )
  find('#picture', HTMLElement).replaceChildren(picture)
  showAnswers(question.targets, answers, { columns: question.columns, records })
  say(words)
}

const failed = (/** @type {unknown} */ error) =>
  say(`The request failed: ${error instanceof Error ? error.message : error}. Load the page again.`)

/** A change that arrived is in the history of its record, too. @param {{ resource: string, id: string }} event */
const showArrived = ({ resource, id }) => {
  if (record === `${resource}/${id}`) void ask(historyOf(record)).catch(failed)
}

/** Marks the link of what is shown, and returns its words. @param {string} key */
const mark = (key) => {
  let title = ''
  for (const link of document.querySelectorAll('.questions a')) {
    const isShown = link.getAttribute('href') === `#${key}`
    if (isShown) link.setAttribute('aria-current', 'true')
    else link.removeAttribute('aria-current')
    if (isShown) title = find('strong', HTMLElement, link).textContent ?? ''
  }
  return title
}

/** @param {string} key */
const open = (key) => {
  record = recordOf(key)
  const question = record ? historyOf(record) : questions.find((each) => each.key === key)
  if (!question) return
  find('#question', HTMLElement).textContent = mark(question.key)
  find('#record-block', HTMLElement).hidden = record === undefined
  find('#picture', HTMLElement).replaceChildren()
  say('Asking …')
  void ask(question).catch(failed)
}

const keys = new Set(questions.map(({ key }) => key))
/** The question that the address names. Other fragments are places on the page. */
const named = () => {
  const key = location.hash.slice(1)
  return keys.has(key) || recordOf(key) ? key : undefined
}
const route = () => {
  const key = named()
  if (key) open(key)
}

startStage()
startHistory()
startLive(showArrived)
startSaving()
addEventListener('hashchange', route)
// A link from below the answer leads up to it.
document.addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('main a[href^="#history/"]'))
    find('#question', HTMLElement).focus()
})
open(named() ?? 'expiring')
