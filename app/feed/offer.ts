import { exportCost } from '../export/exports.ts'
import { linesType } from '../export/json-lines.ts'
import { parsePairs } from '../http/pairs.ts'
import { wholeState } from './query.ts'

/** The media type of a page of changes. */
export const jsonType = 'application/json'
/** The media type of server-sent events (HTML Standard, section 9.2). */
export const eventsType = 'text/event-stream'

const asksForState = (rawQuery: string): boolean =>
  parsePairs(rawQuery).some(({ name, value }) => name === 'after' && value === wholeState)

/** What a query of the feed can be answered as: the whole state as lines, a page as JSON, pages as events. */
export const offeredTypes = (rawQuery: string): readonly string[] =>
  asksForState(rawQuery) ? [linesType] : [jsonType, eventsType]

/** What a query of the feed costs of the quota `minute`: the whole state is an export. */
export const feedCost = (rawQuery: string): number => (asksForState(rawQuery) ? exportCost : 1)
