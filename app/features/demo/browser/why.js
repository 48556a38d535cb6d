import { find, make } from '../../../site/browser/ui.js'
import { send } from './answer.js'
import { toWords } from './names.js'
import { matchSchemes, nothingOnRecord, withoutScheme } from './schemes.js'
import { describe, say, showAnswers, token } from './stage.js'

/** @typedef {import('./table.js').Row} Row */

/** @param {Row | undefined} entry */
const toEnd = (entry) => entry?.valid_until ?? (entry?.because === 'certificate_valid' ? 'unlimited' : '')

/** The first day of a certificate that is not valid yet. @param {Row} row @param {Row | undefined} entry */
const toBegin = ({ schemes }, entry) => {
  if (entry?.because !== 'certificate_not_yet_valid') return ''
  const { record } = schemes.find((/** @type {Row} */ each) => each.record?.id === entry.certificate_id) ?? {}
  return record?.valid_from && record.approval_status !== 'pending' ? `, valid from ${record.valid_from}` : ''
}

/** Shows why a product may or may not be sold in a country. @param {Row} row of the picture */
export const askWhy = async (row) => {
  const { product_id: product, country_code: country } = row
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
      { title: 'Scheme on record', of: ({ entry }) => (entry ? (entry.scheme ?? withoutScheme) : '') },
      { title: 'Because', of: ({ entry }) => toWords(entry?.because ?? nothingOnRecord) },
      { title: 'Certificate', of: ({ entry }) => entry?.certificate_number ?? '' },
      { title: 'Valid until', of: ({ entry }) => toEnd(entry) },
    ],
    records: schemes,
  })
  const reasons = schemes.map(({ required, entry }) =>
    make(
      'li',
      {},
      make(
        'strong',
        { class: entry?.allowed ? 'good' : undefined },
        required ?? entry?.scheme ?? withoutScheme,
      ),
      `: ${toWords(entry?.because ?? nothingOnRecord)}${toBegin(row, entry)}${entry?.valid_until ? `, until ${entry.valid_until}` : ''}`,
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
