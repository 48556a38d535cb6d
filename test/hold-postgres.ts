import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { tryLock } from '../app/local/embedded/lock.ts'
import { isAlive, sharedFolder, startInTemp } from './servers.ts'

/*
 * `hold-postgres.ts PID`, with the process that runs the test files: keeps their PostgreSQL until this process ends.
 * Otherwise the server and its template would be created again whenever no file uses them.
 */
const [key = ''] = process.argv.slice(2)
const server = await startInTemp(key)
const unlock = tryLock(join(sharedFolder(key), 'holder.lock'), 'exclusive')
if (unlock) {
  while (isAlive(Number(key))) await delay(200)
  unlock()
}
await server.release()
