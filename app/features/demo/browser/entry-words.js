import { moment } from '../../../site/browser/units.js'
import { toWords } from './names.js'

/**
 * An entry of a record's history.
 * @typedef {{ at: string, op: string, cause?: string, changes: Record<string, { from: unknown, to: unknown }> }} Entry
 */

/** @param {unknown} value */
export const valueWords = (value) => {
  if (value === null || value === undefined) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.map(itemWords).join(', ') || 'none'
  const text = String(value)
  if (/^\d{4}-\d\d-\d\dT/.test(text)) return moment(text)
  return /^[a-z]+(_[a-z]+)+$/.test(text) ? toWords(text) : text
}

/** Writes a validity period, or any other item of an array. @param {any} item @returns {string} */
const itemWords = (item) =>
  typeof item === 'object' && item?.from
    ? `${item.from} to ${item.until ?? 'no end'} (${item.basis})`
    : valueWords(item)

/** @param {Entry} entry @returns {{ kind: string, title: string }} */
export const getTitle = ({ op, cause, changes }) => {
  if (op === 'create') return { kind: 'create', title: 'Created' }
  if (op === 'delete') return { kind: 'delete', title: 'Deleted' }
  if (cause !== 'day') return { kind: 'update', title: 'Changed' }
  const validity = changes.validity?.to
  if (validity === 'expired') return { kind: 'day', title: 'Expired' }
  if (validity === 'valid') return { kind: 'day', title: 'Became valid' }
  if (changes.expiring?.to === true) return { kind: 'day', title: 'Entered its expiry window' }
  return { kind: 'day', title: 'Changed by the calendar' }
}
