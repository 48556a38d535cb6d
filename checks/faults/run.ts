import { clientsAbort, nothing } from './abort-faults.ts'
import type { Fault } from './fault.ts'
import { instanceKilled, instanceKilledBehindProxy } from './instance-faults.ts'
import { postgresFaults } from './postgres-faults.ts'
import { redisFaults } from './redis-faults.ts'
import { openStage } from './stage.ts'
import { statementFaults } from './statement-faults.ts'
import { formatTable } from './table.ts'
import { runTrial, type TrialResult } from './trial.ts'

/**
 * `npm run check:faults [-- --short] [name…]`: runs all or the named real faults against two instances under
 * load. Exits with 1 if a result violates the contract.
 */

const all = {
  nothing,
  ...redisFaults,
  ...postgresFaults,
  ...statementFaults,
  instanceKilled,
  instanceKilledBehindProxy,
  clientsAbort,
} satisfies Record<string, Fault>

/** The most frequent faults, for the gate. */
const short = ['redisKilled', 'redisSlow30', 'backendsTerminated', 'instanceKilled', 'clientsAbort']
const shortHoldMs = 2_500

const say = (text: string) => process.stdout.write(`${text}\n`)

const args = process.argv.slice(2)
const isShort = args.includes('--short')
const named = args.filter((arg) => arg in all)
const names = named.length > 0 ? named : isShort ? short : Object.keys(all)

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** If a fault cannot be run, its row is red and the others continue. */
const tryFault = async (fault: Fault): Promise<TrialResult> => {
  try {
    return await runTrial(stage, fault, isShort ? shortHoldMs : undefined)
  } catch (error) {
    return { fault, failure: (error as Error).message }
  }
}

const startedAt = performance.now()
const stage = await openStage()
const results: TrialResult[] = []
try {
  if (!stage.database.disk)
    say('No file system can be mounted here: the full disk is simulated by an error in a trigger.')
  for (const name of names) {
    const result = await tryFault(all[name as keyof typeof all])
    const objections = result.verdict?.objections ?? [result.failure]
    say(`${name}: ${objections.length === 0 ? 'as expected' : `RED: ${objections.join('; ')}`}`)
    results.push(result)
    // A failed fault must not influence the next one.
    if (objections.length > 0) await stage.renew()
  }
} finally {
  await stage.close()
}
const red = results.filter(({ verdict }) => verdict?.objections.length !== 0).length
say(`\n${formatTable(results)}\n`)
say(`${results.length} faults, ${red} red, ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
process.exit(red === 0 ? 0 : 1)
