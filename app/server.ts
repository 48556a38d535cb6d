import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// What is compiled once need not be at the next start: a fifth of its time. Below the package, because whoever may
// write there may change the code anyway, which is not true of the system's folder for temporary files. Where
// nothing can be written, as in a container, it does without.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'))
await import('./serve.ts')
