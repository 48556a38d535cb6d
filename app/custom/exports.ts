import type { ExportRequest, Exports, LiveAnswer } from '../export/exports.ts'
import { getFormat } from '../export/formats.ts'
import { bind } from './bind.ts'
import type { Custom } from './custom.ts'
import { listColumns, listRows } from './sql/columns.ts'

export type CustomExports = ReturnType<typeof createCustomExports>

type Deps = {
  exports: Exports
  custom: Custom
  today: () => string
}

/** Creates the exports of custom lists, in the formats of `Exports`. */
export const createCustomExports = ({ exports, custom, today }: Deps) => ({
  /** `undefined` if the endpoint is not a list. Rejects like `Custom.find`, `parse` and `Exports`. */
  async answer(request: ExportRequest, name: string, rawQuery: string): Promise<LiveAnswer | undefined> {
    const { principal, type } = request
    const { definition, parse } = await custom.find({ principal, name }, rawQuery)
    const { body, revision } = definition
    if (!('list' in body)) return undefined
    await exports.hold(request)
    const { shape, isTable } = getFormat(type)
    const day = today()
    const { given, queries, conditions, limit, hasByteOrderMark } = parse(shape, day)
    const bound = bind(definition, queries, given, { customerId: principal.customerId, today: day })
    const plan = { ...bound.getPlan(body.list.source, conditions), limit }
    const columns = listColumns(body.list, bound, isTable)
    const from = listRows(body.list, plan, bound)
    const answer = await exports.answer(request, { name, columns, from, hasByteOrderMark })
    return { ...answer, headers: { ...answer.headers, 'definition-revision': String(revision) } }
  },
})
