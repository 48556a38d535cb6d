import { send } from './readers.ts'
import { openStage, type StageOptions } from './stage.ts'

/** Database reads for each cold key, and the number of answers that were not 200. */
export type ColdResult = { fillsPerKey: number[]; failed: number }

const askers = 500

/** Sends 500 concurrent requests, over two instances, for each key that was never requested before. */
export const askColdKeys = async (options: StageOptions, keys: number): Promise<ColdResult> => {
  const { instances, getToken, close } = await openStage({ ...options, withoutProxies: true })
  try {
    const headers = { authorization: `Bearer ${getToken('alpha')}` }
    const askAll = (url: string) =>
      Promise.all(
        Array.from({ length: askers }, (_, index) =>
          send('GET', instances[index % instances.length]?.port ?? 0, url, headers),
        ),
      )
    const takeFills = async () => {
      const counters = await Promise.all(instances.map((instance) => instance.takeCounters()))
      return counters.reduce((total, { fills }) => total + fills, 0)
    }
    // Opens the connections, and loads the customer into both instances.
    await askAll('/v1/projects?limit=1')
    await takeFills()
    const result: ColdResult = { fillsPerKey: [], failed: 0 }
    for (let key = 0; key < keys; key += 1) {
      const answers = await askAll(`/v1/products?brand[ne]=cold-${key}&limit=5`)
      result.failed += answers.filter(({ status }) => status !== 200).length
      result.fillsPerKey.push(await takeFills())
    }
    return result
  } finally {
    await close()
  }
}
