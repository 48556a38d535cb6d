import type { z } from 'zod'
import { maxTotal } from '../../schemas/page.ts'
import { formatNames } from '../http/formats.ts'
import { joinList } from '../http/pairs.ts'
import { controlReaders, type QueryShape } from '../records/query/controls.ts'
import { maxSortKeys } from '../records/query/query.ts'
import { maxWords } from '../records/query/words.ts'
import type { Resource } from '../records/resources/define.ts'
import type { OpenApiParameter } from './description.ts'
import { listExamples } from './examples.ts'
import { choice, cursor, integer, limit, queryParameters, text } from './parameters.ts'

const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')

const describeInclude = ({ includes }: Resource): z.ZodType => {
  const names = Object.keys(includes)
  const scopes = names.map((name) => `\`${name}\` needs ${includes[name]?.resource}:read`)
  return text(
    `Adds related records under \`included\`, by id. Separated by commas. Not with an export. Each needs its scope: ${scopes.join(', ')}.`,
    joinList(names.slice(0, 2)),
  )
}

const describeSearch = ({ search, fields }: Resource): z.ZodType => {
  const field = fields.get(search[0] as string)
  const [example = ''] = field ? listExamples(field) : []
  return text(
    `Searches for words. Each must begin a word of ${code(search)}. Case and ` +
      `accents do not matter. 1 to ${maxWords} words of at least two letters or digits.`,
    example,
  )
}

const describeSort = ({ sorts, defaultSort }: Resource): z.ZodType =>
  text(
    `At most ${maxSortKeys} keys, separated by commas. A leading \`-\` reverses a key. Keys: ${code(sorts)}. Null is the greatest ` +
      'value. `id` breaks ties. To read all pages while records change, sort by `id`, which never changes.',
    `-${sorts.slice(0, 2).join(',')}`,
  ).meta({ default: defaultSort })

const describe = (
  resource: Resource,
  shape: QueryShape,
  formats: readonly string[],
): Readonly<Record<string, z.ZodType>> => ({
  q: describeSearch(resource),
  sort: describeSort(resource),
  limit: limit('Number of records on a page. Without it, an export has no limit.'),
  cursor: cursor('with the same filters and sort. Not with an export.'),
  count: choice(
    `Adds \`page.total\`, the number of all matching records up to ${maxTotal}. Not with an export.`,
    ['exact'],
  ),
  fields: text(
    'Only these fields, separated by commas. `id` is always included. Default: all fields.',
    joinList([...resource.fields.keys()].slice(0, 2)),
  ),
  include: describeInclude(resource),
  on: text(
    "Computes the answer for this day with today's statuses: a day, or `today`, `today+90d`, `today-30d`.",
    'today+90d',
  ),
  as_of: text(
    `Shows the ${resource.noun} as it was at the end of this day (UTC): a day, or \`today-30d\`. Not with \`on\` and \`include\`.`,
    'today-1d',
  ),
  expiring_within: integer(
    "Number of days before its end in which a certificate counts as expiring. Default: the customer's setting.",
    [1, 365],
    30,
  ),
  format:
    shape === 'item'
      ? choice('Overrides the header Accept.', ['json'])
      : choice('Overrides the header Accept. All but `json` export the whole list.', [
          ...formatNames,
          ...formats,
        ]),
  bom: choice(
    'Starts a CSV file with a byte order mark, which some spreadsheets need. Only with CSV.',
    ['true', 'false'],
    'false',
  ).meta({ examples: ['false'] }),
})

/**
 * Lists the query parameters of a resource except its filters. `formats`: of this list only. Throws if a parameter has no
 * description here.
 */
export const controlParameters = (
  resource: Resource,
  shape: QueryShape,
  formats: readonly string[] = [],
): OpenApiParameter[] =>
  queryParameters(controlReaders(resource, shape).keys(), describe(resource, shape, formats))
