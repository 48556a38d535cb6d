import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { tryLock } from '../app/local/embedded/lock.ts'
import { isAlive, sharedFolder, startInTemp } from './servers.ts'

/*
 * Keeps the PostgreSQL that the files of one run share until the run is over: `hold-postgres.ts PID`, of the process
 * that runs them. Without it the server, and the database that tests copy, would be made anew whenever no file happens to
 * use them.
 */
const [key = ''] = process.argv.slice(2)
const server = await startInTemp(key)
const unlock = tryLock(join(sharedFolder(key), 'holder.lock'), 'exclusive')
if (unlock) {
  while (isAlive(Number(key))) await delay(200)
  unlock()
}
await server.release()
