import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { tryLock } from '../app/local/embedded/lock.ts'
import { isAlive, sharedFolder, startInTemp } from './servers.ts'

// `hold-postgres.ts PID` keeps the PostgreSQL of a run until the process PID, which runs the test files, has ended.
// Otherwise the server and the prepared database would be created again whenever no file uses them.
const [key = ''] = process.argv.slice(2)
const server = await startInTemp(key)
const unlock = tryLock(join(sharedFolder(key), 'holder.lock'), 'exclusive')
if (unlock) {
  while (isAlive(Number(key))) await delay(200)
  unlock()
}
await server.release()
