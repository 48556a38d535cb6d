import { type Fault, faults } from './faults.ts'
import { nemeses } from './nemesis.ts'
import { startPostgres } from './postgres.ts'
import { closeConnections } from './readers.ts'
import { runTrial } from './trial.ts'

const [name = 'none', secondsText = '6', fault] = process.argv.slice(2)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const postgres = await startPostgres()
try {
  const nemesis = nemeses[name as keyof typeof nemeses]
  const result = await runTrial({ postgres, nemesis, seconds: Number(secondsText), fault: fault as Fault })
  const { violations, differing, ...rest } = result
  console.log(rest, faults.length)
  const kinds = Object.groupBy(violations, ({ kind }) => kind)
  for (const [kind, list] of Object.entries(kinds)) console.log(kind, list.length, list.slice(0, 4))
  console.log('differing', differing.length, differing.slice(0, 4))
} finally {
  await postgres.stop()
  closeConnections()
}
