import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { startService } from './tools/service.ts'

// Runs the Bruno collection against a new service, with Bruno's command line, which npx downloads.

const cli = '@usebruno/cli@4.1.0'
const service = await startService()
try {
  const variables = ['--env', 'local', '--env-var', `url=${service.url}`]
  const options = ['--yes', `--package=${cli}`, 'bru', 'run', '-r', ...variables]
  const run = spawn('npx', options, { cwd: join(import.meta.dirname, 'bruno'), stdio: 'inherit' })
  const [code] = (await once(run, 'exit')) as [number | null]
  process.exitCode = code ?? 1
} finally {
  await service.stop()
}
