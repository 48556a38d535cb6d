import type { ExportRequest, Exports, LiveAnswer } from '../../export/exports.ts'
import { getFormat } from '../../export/formats.ts'
import { bind } from './bind.ts'
import type { CustomQuery } from './custom.ts'
import { listColumns, listRows } from './sql/columns.ts'

export type CustomExports = ReturnType<typeof createCustomExports>

/** Creates the exports of custom lists, in the formats of `Exports`. Before `answer`, call `exports.hold`. */
export const createCustomExports = ({ exports }: { exports: Exports }) => ({
  /** The definition must be a list. Rejects like `Exports.answer`. */
  answer(request: ExportRequest & { query: CustomQuery }): Promise<LiveAnswer> {
    const { principal, type, query } = request
    const { definition, day, request: asked } = query
    const { body, name, revision } = definition
    if (!('list' in body)) throw new Error(`${name} is no list`)
    const { given, queries, conditions, limit, hasByteOrderMark } = asked
    const bound = bind(definition, queries, given, { customerId: principal.customerId, today: day })
    const plan = { ...bound.getPlan(body.list.source, conditions), limit }
    const columns = listColumns(body.list, bound, getFormat(type).isTable)
    const from = listRows(body.list, plan, bound)
    return exports.answer(request, { name, columns, from, hasByteOrderMark }).then((answer) => ({
      ...answer,
      headers: { ...answer.headers, 'definition-revision': String(revision) },
    }))
  },
})
