import { addCopyButton, find, make } from './ui.js'

// The link has a secret in its fragment, which browsers never send. This script sends it after a click only,
// because mail programs open links to preview them, and the link works once.

const outcome = find('#outcome', HTMLElement)
const offer = find('#offer', HTMLElement)
const shown = find('#shown', HTMLElement)
const button = find('#show', HTMLButtonElement)
const secret = location.hash.slice(1)

/** @param {string} title @param {string} text */
const showFault = (title, text) => {
  outcome.className = 'notice bad'
  outcome.setAttribute('role', 'alert')
  outcome.replaceChildren(make('p', {}, make('strong', {}, title)), make('p', {}, text))
  outcome.focus()
}

/** @param {string} instant */
const formatTime = (instant) =>
  new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(new Date(instant))

/** @type {readonly (readonly [string, number])[]} */
const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
]

/** @param {number} seconds Formatted in the largest unit that divides it. */
const formatDuration = (seconds) => {
  const [unit, size] = units.find(([, each]) => seconds % each === 0) ?? ['second', 1]
  const count = seconds / size
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** @param {string} replaced @param {number} overlapSeconds @param {string} lastLogin */
const showRotation = (replaced, overlapSeconds, lastLogin) => {
  const overlap =
    overlapSeconds === 0
      ? 'The previous key ends at the first login with this one.'
      : `Your first login with this key starts the overlap: both keys work for ${formatDuration(overlapSeconds)}, then the previous key ends. It ends earlier if it expires before.`
  find('#rotation code', HTMLElement).textContent = replaced
  find('#rotation span', HTMLElement).textContent =
    `${overlap} Log in before ${lastLogin}: a key that was not used ends then, and the previous one stays.`
  find('#rotation', HTMLElement).hidden = false
}

/** @param {{ api_key: string, key_id: string, customer: string, name: string | null, scopes: string[] | null, networks: string[] | null, expires_at: string | null, replaces: string | null, overlap_seconds: number | null, expires_at_after_login: string | null }} key */
const showKey = (key) => {
  // The secret is used up. Remove it from the address bar. The state survives a reload.
  history.replaceState({ isUsed: true }, '', location.pathname)
  find('.key pre', HTMLElement).textContent = key.api_key
  find('[data-key]', HTMLElement).textContent = key.api_key
  const end = key.replaces === null ? key.expires_at : key.expires_at_after_login
  const facts = {
    Customer: key.customer,
    'Key id': key.key_id,
    ...(key.name === null ? {} : { Name: key.name }),
    Expires: end === null ? 'never' : formatTime(end),
    Scopes: key.scopes?.join(', ').replace('*', 'all records') ?? 'all records',
    Networks: key.networks?.join(', ') ?? 'any',
  }
  find('.cells', HTMLElement).replaceChildren(
    ...Object.entries(facts).map(([name, value]) =>
      make('div', {}, make('dt', {}, name), make('dd', {}, value)),
    ),
  )
  if (key.replaces !== null && key.expires_at !== null)
    showRotation(key.replaces, key.overlap_seconds ?? 0, formatTime(key.expires_at))
  for (const box of shown.querySelectorAll('.codebox')) addCopyButton(/** @type {HTMLElement} */ (box))
  outcome.replaceChildren()
  outcome.className = ''
  offer.hidden = true
  shown.hidden = false
  // Focus would scroll to the section, and the sticky bar would hide the heading above it.
  shown.focus({ preventScroll: true })
  scrollTo(0, 0)
}

const collect = async () => {
  const answer = await fetch('/key', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ secret }),
    cache: 'no-store',
  })
  const body = await answer.json()
  if (answer.ok) showKey(body)
  else showFault('The key was not shown.', body.detail)
}

if (secret === '') {
  offer.hidden = true
  if (history.state?.isUsed) {
    showFault(
      'This link was used.',
      'A link works once. If you have not saved the key, ask the sender for a new link. The key that was shown stays valid until it expires, is replaced or revoked.',
    )
  } else {
    showFault(
      'The link is incomplete.',
      'Open it exactly as you received it, with the part after #. A link works once: if you have used it, ask the sender for a new one.',
    )
  }
}

// A new link in the same tab changes only the fragment, which loads nothing.
addEventListener('hashchange', () => location.reload())

button.addEventListener('click', async () => {
  button.disabled = true
  try {
    await collect()
  } catch {
    showFault('The key could not be fetched.', 'Check your network and try again.')
  }
  button.disabled = false
})
