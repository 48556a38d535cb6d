import { join } from 'node:path'
import { requireNode } from './config/require-node.js'

requireNode('npm start')
// Its start flags: see docs/decisions/0070-start-flags-bound-the-memory.md.
// Code compiled at one start is used by the next, which saves a fifth of its time. The cache is in the package's folder:
// a user who may write there may change the code anyway, which is not true of the system's temporary folder. A read-only
// folder is no error. This file is JavaScript, because the compiler that strips types takes 20 MiB for the life of the
// process, and is not needed for cached code. Node 20 lacks the function, so it is imported after the check.
const { enableCompileCache } = await import('node:module')
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'))
const { start } = await import('./main/serve.ts')
await start()
