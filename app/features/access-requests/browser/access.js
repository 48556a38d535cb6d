import { find, make } from '../../../site/browser/ui.js'
import { deadline } from '../../../site/browser/units.js'

/** Checks the contact form while the user types, and sends it to the API. Without JavaScript, the form posts itself. */

const form = find('form', HTMLFormElement)
const outcome = find('#outcome', HTMLElement)
const openedAt = performance.now()
/** As in `form.ts`. Only this script checks it: the API has no minimum time. */
const fastestMs = 3_000

const missing = {
  company: 'Name your company.',
  name: 'Give your name.',
  email: 'Give the address for the answer.',
  message: 'Say what you need the access for.',
}
const labels = {
  company: 'Company',
  name: 'Your name',
  email: 'E-mail',
  message: 'What the access is for',
  consent: 'Consent',
}
/** @typedef {keyof typeof labels} Name */
const names = /** @type {Name[]} */ (Object.keys(labels))

/** @param {Name} name */
const control = (name) =>
  /** @type {HTMLInputElement | HTMLTextAreaElement} */ (find(`#${name}`, HTMLElement))

/** @param {Name} name @returns {string | undefined} */
const findFault = (name) => {
  if (name === 'consent') {
    return /** @type {HTMLInputElement} */ (control(name)).checked
      ? undefined
      : 'We may not keep your request without your consent.'
  }
  const value = control(name).value.trim()
  if (value === '') return missing[name]
  if (name === 'email' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)) {
    return 'This is not an e-mail address. Expected an address such as ada@acme.example.'
  }
  return undefined
}

/** @param {Name} name @param {string | undefined} fault */
const showFault = (name, fault) => {
  const line = find(`#${name}-fault`, HTMLElement)
  line.textContent = fault ?? ''
  line.hidden = fault === undefined
  if (fault === undefined) control(name).removeAttribute('aria-invalid')
  else control(name).setAttribute('aria-invalid', 'true')
}

/** @param {Partial<Record<Name, string>>} faults @param {string} [message] */
const showFaults = (faults, message = 'Please correct the marked fields.') => {
  for (const name of names) showFault(name, faults[name])
  const links = names
    .filter((name) => faults[name] !== undefined)
    .map((name) => make('li', {}, make('a', { href: `#${name}` }, faults[name])))
  outcome.className = 'notice bad'
  outcome.setAttribute('role', 'alert')
  outcome.replaceChildren(make('p', {}, make('strong', {}, message)), make('ul', {}, ...links))
  outcome.focus()
}

/** @param {{ id: string, due_at: string }} answer */
const showReceipt = ({ id, due_at }) => {
  form.hidden = true
  outcome.className = 'notice'
  outcome.setAttribute('role', 'status')
  outcome.replaceChildren(
    make('h2', {}, 'Your request has arrived.'),
    make(
      'p',
      {},
      'You will hear from us by ',
      make('strong', {}, deadline(due_at)),
      ' (your time), within one business day.',
    ),
    make('p', {}, 'If you have a question, give the id of the request: ', make('code', {}, id), '.'),
  )
  outcome.focus()
}

/** @param {any} problem */
const showRefusal = (problem) => {
  /** @type {Partial<Record<Name, string>>} */
  const faults = {}
  for (const { pointer = '', detail } of problem.errors ?? []) {
    const name = /** @type {Name} */ (pointer.slice(1))
    if (names.includes(name)) faults[name] = `${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`
  }
  showFaults(faults, Object.keys(faults).length > 0 ? undefined : `${problem.title}. ${problem.detail}`)
}

const send = async () => {
  const [company, name, email, message] = ['company', 'name', 'email', 'message'].map((each) =>
    control(/** @type {Name} */ (each)).value.trim(),
  )
  const answer = await fetch('/v1/access-requests', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ company, name, email, message, consent: true }),
  })
  const body = await answer.json()
  if (answer.status === 202) showReceipt(body)
  else showRefusal(body)
}

form.noValidate = true
for (const name of names) {
  const input = control(name)
  input.addEventListener('blur', () => {
    // A field that the user has only passed through shows no fault.
    if (name !== 'consent' && input.value !== '') showFault(name, findFault(name))
  })
  input.addEventListener(name === 'consent' ? 'change' : 'input', () => {
    if (input.hasAttribute('aria-invalid') && findFault(name) === undefined) showFault(name, undefined)
  })
}

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const faults = Object.fromEntries(
    names.flatMap((name) => (findFault(name) ? [[name, findFault(name)]] : [])),
  )
  if (Object.keys(faults).length > 0) return showFaults(faults)
  if (/** @type {HTMLInputElement} */ (find('#website', HTMLElement)).value !== '') {
    return showFaults(
      {},
      'A hidden field was filled in, as programs do. Load the page again, and send the form once more.',
    )
  }
  if (performance.now() - openedAt < fastestMs) {
    return showFaults({}, 'The form was sent faster than people type. Please send it once more.')
  }
  const button = find('button[type=submit]', HTMLButtonElement, form)
  button.disabled = true
  try {
    await send()
  } catch {
    showFaults(
      {},
      'The request could not be sent. Check your network and try again. Your text is still here.',
    )
  }
  button.disabled = false
})
