import { formatNames } from '../../http/formats.ts'
import { joinList } from '../../http/pairs.ts'
import { controlReaders, type QueryShape } from '../../records/query/controls.ts'
import { defaultLimit, maxLimit, maxSortKeys } from '../../records/query/query.ts'
import type { ParameterReader } from '../../records/query/readers.ts'
import { maxWords, parseWords } from '../../records/query/words.ts'
import type { Field, Resource } from '../../records/resources/define.ts'
import type { OpenApiParameter, SchemaNode } from './description.ts'
import { exampleOf } from './examples.ts'
import { maxTargetBytes } from './filters.ts'

type Control = Readonly<{ description: string; schema: SchemaNode; example: string | number }>

/** Maximum size of target and headers together. The target's bound does not include the cursor. */
export const maxHeadBytes = 16_384

const text: SchemaNode = { type: 'string', minLength: 1, maxLength: maxTargetBytes }

const formatsOf = (read: ParameterReader) => formatNames.filter((format) => read(format).faults.length === 0)

const searchExample = ({ schema }: Field): string => {
  const parsed = parseWords(String(exampleOf(schema)))
  return 'value' in parsed ? parsed.value : 'tracker mini'
}

const controls: Readonly<Record<string, (resource: Resource, read: ParameterReader) => Control>> = {
  fields: ({ fields }) => ({
    description: 'The fields to answer, separated by commas; `id` is always included. Absent: all fields.',
    schema: text,
    example: joinList([...fields.keys()].slice(0, 2)),
  }),
  include: ({ includes }) => {
    const names = Object.keys(includes)
    const scopes = names.map((name) => `\`${name}\` needs ${includes[name]?.resource}:read`)
    return {
      description:
        'Adds these related records under `included`, by id; separated by commas. Not with an export. ' +
        `Each needs its scope: ${scopes.join(', ')}.`,
      schema: text,
      example: joinList(names.slice(0, 2)),
    }
  },
  on: () => ({
    description:
      "Computes for this day instead of today, with today's statuses: YYYY-MM-DD, or today, today+90d, today-30d.",
    schema: text,
    example: 'today+90d',
  }),
  as_of: ({ noun }) => ({
    description:
      `Shows the ${noun} as it stood at the end of this day (UTC), as far as history reaches: YYYY-MM-DD, or today-30d. ` +
      'Not with `on` and `include`.',
    schema: text,
    example: 'today-1d',
  }),
  expiring_within: () => ({
    description:
      "Days before its end in which a certificate counts as expiring. Absent: the customer's setting.",
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 365 },
    example: 30,
  }),
  format: (_resource, read) => {
    const formats = formatsOf(read)
    return {
      description:
        formats.length > 1
          ? 'Overrides the header Accept. All but `json` export the whole list.'
          : 'Overrides the header Accept.',
      schema: { type: 'string', enum: formats },
      example: formats[0] as string,
    }
  },
  q: ({ search, fields }) => ({
    description:
      `Records in which each of these words begins a word of ${search.map((name) => `\`${name}\``).join(', ')}. Case and ` +
      `accents do not matter. 1 to ${maxWords} words of two letters or digits at least; anything else ends a word.`,
    schema: text,
    example: searchExample(fields.get(search[0] as string) as Field),
  }),
  sort: ({ sorts, defaultSort }) => ({
    description:
      `At most ${maxSortKeys} keys, comma-separated, each once; a leading - reverses. ` +
      `One of: ${sorts.join(', ')}. Null is the greatest value; \`id\` breaks ties.`,
    schema: { ...text, default: defaultSort },
    example: `-${sorts.slice(0, 2).join(',')}`,
  }),
  limit: () => ({
    description: 'Number of records on a page. An export has no limit unless this is given.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: maxLimit, default: defaultLimit },
    example: defaultLimit,
  }),
  count: () => ({
    description: 'Adds `page.total`, the number of all matching records. Not with an export.',
    schema: { type: 'string', enum: ['exact'] },
    example: 'exact',
  }),
  bom: () => ({
    description:
      'Begins a CSV file with a byte order mark, by which some spreadsheets know UTF-8. Only with CSV.',
    schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
    example: 'false',
  }),
  cursor: () => ({
    description:
      '`page.next_cursor` of the answer before, unchanged, with the same filters and sort. ' +
      'Absent: the first page. Not with an export.',
    schema: { type: 'string', minLength: 1, maxLength: maxHeadBytes },
    example: 'AXq3x0a2c0F1WyIyMDI2LTA0LTI1VDExOjAyOjAzLjQ1Njc4OVoiLCI0Mzg1ZGNlMmE5ZWY2MjJiIl0',
  }),
}

/** Lists the query parameters except filters. Throws if a parameter has no description here. */
export const controlParameters = (resource: Resource, shape: QueryShape): OpenApiParameter[] =>
  [...controlReaders(resource, shape)].map(([name, reader]) => {
    const describe = controls[name]
    if (!describe) throw new Error(`the parameter ${name} has no description`)
    return { name, in: 'query', ...describe(resource, reader({ conditions: [] })) }
  })
