import type { FastifyInstance } from 'fastify'
import { parseApiKey } from '../../app/identity/api-keys.ts'
import { addCustomer, logIn, type TestDatabase, until } from '../helper.ts'

/** Contract, section 7. */
export const promisedMs = 1000
const samples = 8

export type Subject = { customer: string; keyId: string; apiKey: string; token: string }

/** Removes a right. Then every instance must answer with this status and code. */
export type Removal = readonly [remove: (subject: Subject) => Promise<unknown>, status: number, code: string]

/** Measures on two instances how long a removed right still counts. */
export const createRightsTest = (
  database: Pick<TestDatabase, 'operator'>,
  apps: readonly [FastifyInstance, FastifyInstance],
) => {
  const ask = (index: number, token: string) =>
    (apps[index] as FastifyInstance).inject({
      url: '/v1/products?limit=1',
      headers: { authorization: `Bearer ${token}` },
    })

  let customers = 0
  const newSubject = async (): Promise<Subject> => {
    const customer = `customer-${++customers}`
    const apiKey = await addCustomer(database, customer)
    const { token } = await logIn(apps[0], apiKey)
    return { customer, keyId: parseApiKey(apiKey)?.keyId as string, apiKey, token }
  }

  /**
   * For each instance, the milliseconds from the commit until the last request that it still accepted was sent. They do
   * not depend on the machine's speed: an instance without a recent poll accepts none. Both have read
   * the right just before the commit, so that their cached facts are as young as possible.
   */
  const measureOnce = async (name: string, [remove, status, code]: Removal): Promise<number[]> => {
    const subject = await newSubject()
    const isLetIn = async (index: number) => (await ask(index, subject.token)).statusCode === 200
    await until('it works', async () => (await isLetIn(0)) && (await isLetIn(1)))
    await remove(subject)
    const changedAt = performance.now()
    return Promise.all(
      [0, 1].map(async (index) => {
        let lastMs = 0
        await until(`${name} counts`, async () => {
          const sentMs = performance.now() - changedAt
          const answer = await ask(index, subject.token)
          if (answer.statusCode === 200) lastMs = sentMs
          // 503 is possible on a busy machine, when the lease of the poll has ended.
          if (answer.statusCode === 200 || answer.statusCode === 503) return false
          if (answer.statusCode !== status || answer.json().code !== code) throw new Error(answer.body)
          return true
        })
        return lastMs
      }),
    )
  }
  /** Returns the longest of several measurements, in milliseconds. */
  const measure = async (name: string, removal: Removal): Promise<number> => {
    const measured = await Promise.all(Array.from({ length: samples }, () => measureOnce(name, removal)))
    return Math.max(...measured.flat())
  }
  return { ask, newSubject, measure }
}
