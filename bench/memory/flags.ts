import { decodeJwt } from 'jose'
import { cpuMs, residentMib } from '../lib/cpu.ts'
import { type Rows, tell } from '../lib/findings.ts'
import { runClosedLoop } from '../lib/loops.ts'
import { startService } from '../lib/processes.ts'
import { say } from '../lib/progress.ts'
import { secretKey } from '../lib/seed.ts'
import { createWorld } from '../lib/world.ts'
import { connections, createRequest } from './unique.ts'

const warmSeconds = 5
const roundSeconds = 4
const rounds = 4

const smallHeap = '--max-old-space-size=1024'
const parallel = '--parallel-scavenge'
const unlimited = { MALLOC_ARENA_MAX: '0' }

/** They follow the flags of `npm start`, and the last value of a flag counts. */
const variants: Readonly<Record<string, { flags: string[]; variables: Record<string, string> }>> = {
  'npm start': { flags: [], variables: {} },
  'a small heap': { flags: [smallHeap], variables: {} },
  'many arenas': { flags: [], variables: unlimited },
  'parallel scavenges': { flags: [parallel], variables: {} },
  'many arenas and parallel scavenges': { flags: [parallel], variables: unlimited },
}

/** Compares services with other start flags under the load of `measureUnique`, in alternating rounds. */
export const measureFlags = async (): Promise<void> => {
  const world = await createWorld({ certificates: 10_000, crowdSize: 0, say })
  const services = []
  try {
    // Tokens name the service that issued them.
    const issuer = decodeJwt(world.token).iss as string
    const env = { DATABASE_URL: world.database.url, SECRET_KEY: secretKey, PUBLIC_URL: issuer }
    for (const [name, { flags, variables }] of Object.entries(variants)) {
      const service = await startService({ ...env, ...variables }, flags)
      services.push({ name, service, ms: [] as number[] })
    }
    const load = (url: string, seconds: number) =>
      runClosedLoop({ url, connections, seconds, request: createRequest(world.token) })
    for (const { service } of services) await load(service.url, warmSeconds)
    let failed = 0
    for (let round = 0; round < rounds; round += 1) {
      for (const { service, ms } of round % 2 === 0 ? services : services.toReversed()) {
        const before = cpuMs(service.pid)
        const result = await load(service.url, roundSeconds)
        ms.push((cpuMs(service.pid) - before) / result.answers)
        failed += result.failed
      }
    }
    const rows: Rows = {}
    for (const { name, service, ms } of services) {
      const mean = ms.reduce((sum, each) => sum + each, 0) / ms.length
      const resident = Math.round(residentMib(service.pid))
      rows[name] = { 'resident, MiB': resident, 'ms an answer': mean.toFixed(3) }
    }
    tell({
      name: 'memory-flags',
      title: 'Memory and processor time with other start flags',
      text: [
        `${rounds} rounds of ${roundSeconds} s for each service over ${connections} connections, after ${warmSeconds} s. ms an answer: processor time of the service.`,
      ],
      tables: [{ about: 'Each row leaves out the named limits of npm start', rows }],
      missed: failed === 0 ? [] : [`${failed} requests failed`],
      data: rows,
    })
  } finally {
    for (const { service } of services) await service.stop()
    await world.close()
  }
}
