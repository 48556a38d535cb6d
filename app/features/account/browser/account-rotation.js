import { addCopyButton, make } from '../../../site/browser/ui.js'
import { number } from '../../../site/browser/units.js'
import { postKey } from './account-session.js'
import { formatTime } from './account-times.js'
import { clearNotice, fillNotice, showFault } from './notice.js'

const rotateScope = 'keys:rotate'
const daySeconds = 86_400

/** The id in the text of a key: see `app/identity/api-keys.ts`. */
const keyText = /^cda_live_([a-z0-9]{16})_/

/** @param {{ api_key: string, key: { id: string, expires_at: string | null }, replaces: string, overlap_seconds: number }} rotated */
const showNewKey = ({ api_key: apiKey, key, replaces, overlap_seconds: seconds }) => {
  const box = make('div', { class: 'codebox', 'data-copy': '' })
  box.append(make('pre', { tabindex: '0', 'aria-label': 'New API key' }, apiKey))
  addCopyButton(box)
  return [
    make(
      'p',
      {},
      make('strong', {}, `Copy the new key ${key.id} to a safe place now. It cannot be shown again.`),
    ),
    box,
    make(
      'p',
      {},
      `From the first login with it, the key ${replaces} works for another ${number(seconds / daySeconds)} days. `,
      `Log in before ${formatTime(key.expires_at)}: a key that was not used ends then. If you lose the new key before its first login, rotate once more.`,
    ),
  ]
}

/** @typedef {{ onAttempt: () => void, onRotated: () => Promise<void> }} Events */

/** @param {{ id: string, name: string | null }} current @param {Events} events */
const rotationForm = (current, { onAttempt, onRotated }) => {
  const field = make('input', {
    type: 'password',
    id: 'rotated',
    autocomplete: 'off',
    spellcheck: 'false',
    required: true,
    'aria-describedby': 'rotated-hint',
  })
  const button = make('button', { type: 'submit', class: 'main' }, 'Make a new key')
  const refusal = make('div', { tabindex: '-1' })
  const form = make(
    'form',
    { class: 'plate' },
    refusal,
    make('label', { for: 'rotated' }, 'API key'),
    make(
      'p',
      { class: 'hint', id: 'rotated-hint' },
      'Paste the key ',
      make('code', {}, current.id),
      ' again: a token cannot rotate a key.',
    ),
    field,
    button,
  )
  /** @param {string} apiKey */
  const rotate = async (apiKey) => {
    const pasted = keyText.exec(apiKey)?.[1]
    if (pasted !== undefined && pasted !== current.id) {
      const name = current.name === null ? '' : ` (${current.name})`
      const text = `You logged in with the key ${current.id}${name} and pasted the key ${pasted}. Nothing was rotated. To rotate ${pasted}, forget the token and log in with that key.`
      fillNotice(refusal, 'This is another key.', text)
      return
    }
    const shown = make('div', { tabindex: '-1' }, ...showNewKey(await postKey('/v1/me/keys/rotate', apiKey)))
    form.replaceWith(shown)
    shown.focus()
    await onRotated()
  }
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const apiKey = field.value.trim()
    field.value = ''
    button.disabled = true
    onAttempt()
    clearNotice(refusal)
    try {
      await rotate(apiKey)
    } catch (error) {
      showFault(refusal, error)
    }
    button.disabled = false
  })
  return form
}

/**
 * Returns the form that rotates the key of the session, or the reason why it cannot be rotated here. `onRotated` must not
 * reject.
 * @param {{ key: { id: string, name: string | null }, scopes: readonly string[] }} me @param {Events} events
 */
export const rotationParts = ({ key, scopes }, events) =>
  scopes.includes(rotateScope)
    ? [
        make(
          'p',
          {},
          'The new key has the same scopes and networks. From its first login, both keys work for 7 days.',
        ),
        rotationForm(key, events),
      ]
    : [
        make(
          'p',
          {},
          'This key may not be rotated here: it lacks the scope ',
          make('code', {}, rotateScope),
          '. Ask the certification house for a new key before this one ends.',
        ),
      ]
