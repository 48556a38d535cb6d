import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'

const intervalMs = 250
const timeoutMs = 10_000

const probe = (port: number, isTls: boolean): Promise<'answered' | 'refused' | 'late'> =>
  new Promise((resolve) => {
    // A new connection each, as load balancers have.
    const options = { host: '127.0.0.1', port, path: '/health/ready', agent: false, timeout: timeoutMs }
    const request = (isTls ? getHttps : getHttp)({ ...options, rejectUnauthorized: false }, (answer) => {
      answer.resume().once('close', () => resolve(answer.statusCode === 200 ? 'answered' : 'refused'))
    })
    request
      .once('error', () => resolve('refused'))
      .once('timeout', () => {
        resolve('late')
        request.destroy()
      })
  })

/** Sends health checks for this many seconds. Returns their number, and the numbers of their results. */
export const sendProbes = async (port: number, isTls: boolean, seconds: number) => {
  const sent: ReturnType<typeof probe>[] = []
  for (let count = 0; count < (seconds * 1000) / intervalMs; count += 1) {
    sent.push(probe(port, isTls))
    await delay(intervalMs)
  }
  const results = await Promise.all(sent)
  const count = (kind: string) => results.filter((each) => each === kind).length
  return {
    sent: results.length,
    answered: count('answered'),
    refused: count('refused'),
    late: count('late'),
  }
}
