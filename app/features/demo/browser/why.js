import { find, make } from '../../../site/browser/ui.js'
import { send } from './answer.js'
import { toWords } from './names.js'
import { matchSchemes } from './schemes.js'
import { describe, say, showAnswers, token } from './stage.js'

/** @param {Record<string, any> | undefined} entry */
const toEnd = (entry) => entry?.valid_until ?? (entry?.because === 'certificate_valid' ? 'unlimited' : '')

/** Shows why a product may or may not be sold in a country. @param {string} product @param {string} country */
export const askWhy = async (product, country) => {
  const asked = `/v1/custom/market-access?product_id=${encodeURIComponent(product)}&country_code=${country}`
  const answer = await send(asked, token)
  const { body } = answer
  if (answer.status !== 200) return say(describe(answer))
  /** @type {Record<string, any>[]} */
  const entries = body.schemes
  const schemes = matchSchemes(body.required_schemes ?? [], entries)
  showAnswers([asked], [answer], {
    name: `${product}-${country}`,
    columns: [
      { title: 'Required there', of: ({ required }) => required ?? 'no' },
      { title: 'Scheme on record', of: ({ entry }) => entry?.scheme ?? '' },
      { title: 'Because', of: ({ entry }) => toWords(entry?.because ?? 'nothing on record') },
      { title: 'Certificate', of: ({ entry }) => entry?.certificate_number ?? '' },
      { title: 'Valid until', of: ({ entry }) => toEnd(entry) },
    ],
    records: schemes,
  })
  const reasons = schemes.map(({ required, entry }) =>
    make(
      'li',
      {},
      make('strong', { class: entry?.allowed ? 'good' : undefined }, required ?? entry?.scheme ?? ''),
      `: ${toWords(entry?.because ?? 'nothing on record')}${entry?.valid_until ? `, until ${entry.valid_until}` : ''}`,
    ),
  )
  const place = new Intl.DisplayNames('en', { type: 'region' }).of(country) ?? country
  find('#why', HTMLElement).replaceChildren(
    make(
      'div',
      { class: 'notice' },
      make('p', {}, make('strong', {}, `${body.product?.name ?? product}, ${place}`)),
      make('ul', {}, ...reasons),
    ),
  )
}
