import type { ExportRequest, Exports, LiveAnswer } from '../export/exports.ts'
import { getFormat } from '../export/formats.ts'
import type { QueryString } from '../http/pairs.ts'
import { bind } from './bind.ts'
import type { Custom } from './custom.ts'
import { listColumns, listRows } from './sql/columns.ts'

export type CustomExports = ReturnType<typeof createCustomExports>

type Deps = {
  exports: Exports
  custom: Custom
}

/** Creates the exports of custom lists, in the formats of `Exports`. */
export const createCustomExports = ({ exports, custom }: Deps) => ({
  /** `undefined` if the endpoint is not a list. Rejects like `Custom.find`, `parse` and `Exports`. */
  async answer(
    request: ExportRequest & { rawQuery: QueryString },
    name: string,
  ): Promise<LiveAnswer | undefined> {
    const { principal, type } = request
    const { body } = await custom.find({ principal, name }, request.rawQuery)
    if (!('list' in body)) return undefined
    await exports.hold(request)
    const { definition, day, request: asked } = await custom.parse({ ...request, name })
    const { given, queries, conditions, limit, hasByteOrderMark } = asked
    const bound = bind(definition, queries, given, { customerId: principal.customerId, today: day })
    const plan = { ...bound.getPlan(body.list.source, conditions), limit }
    const columns = listColumns(body.list, bound, getFormat(type).isTable)
    const from = listRows(body.list, plan, bound)
    const answer = await exports.answer(request, { name, columns, from, hasByteOrderMark })
    return { ...answer, headers: { ...answer.headers, 'definition-revision': String(definition.revision) } }
  },
})
