import { exportCost } from '../export/exports.ts'
import { linesType } from '../export/json-lines.ts'
import { parsePairs } from '../http/pairs.ts'
import { wholeState } from './query.ts'

export const jsonType = 'application/json'
/** The media type of server-sent events (HTML Standard, section 9.2). */
export const eventsType = 'text/event-stream'

const asksForState = (rawQuery: string): boolean =>
  parsePairs(rawQuery).some(({ name, value }) => name === 'after' && value === wholeState)

/** NDJSON for the whole state, otherwise a page as JSON or a stream of events. */
export const offeredTypes = (rawQuery: string): readonly string[] =>
  asksForState(rawQuery) ? [linesType] : [jsonType, eventsType]

/** The cost in the quota `minute`: the whole state costs as much as an export. */
export const feedCost = (rawQuery: string): number => (asksForState(rawQuery) ? exportCost : 1)
