import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// See docs/decisions/0070-start-flags-bound-the-memory.md.
// What is compiled once need not be at the next start: a fifth of its time. Below the package, because whoever may
// write there may change the code anyway, which is not true of the system's folder for temporary files. Where
// nothing can be written it does without. This file is JavaScript, so that nothing is to be stripped before the
// cache is at hand: what strips types takes 20 MiB for as long as the process lives.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'))
const { start } = await import('./main/serve.ts')
await start()
