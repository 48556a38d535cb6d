import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { checkDocument } from '../../app/custom/check.ts'
import { readText } from '../../app/custom/read.ts'
import { type Applied, applyDocument, setGrant } from '../../app/custom/store.ts'
import type { TestDatabase } from '../helper.ts'

export const createStage = ({ operator }: TestDatabase) => {
  const apply = async (text: string): Promise<Applied> => {
    const document = readText(text)
    const { name, revision } = checkDocument(document)
    const stored = { name, revision, text: JSON.stringify(document) }
    return operator.transaction().execute((trx) => applyDocument(trx, stored))
  }
  return {
    apply,
    grant: (name: string, customer: string, granted = true) => setGrant(operator, name, customer, granted),
    async give(customer: string, text: string) {
      await apply(text)
      await setGrant(operator, checkDocument(readText(text)).name, customer, true)
    },
    run: async <Row>(text: string): Promise<Row[]> => (await sql.raw<Row>(text).execute(operator)).rows,
  }
}

/** Today plus `days`, as YYYY-MM-DD (UTC). */
export const day = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** Sends no `cache-control`, so the response may be a cached one. */
export const askCached = (app: FastifyInstance, token: string, url: string) =>
  app.inject({ url, headers: { authorization: `Bearer ${token}` } })
