#!/usr/bin/env node
import { join } from 'node:path'
import { requireNode } from './config/require-node.js'

requireNode('npx --no certdata')
// The command line starts in a third of the time with code compiled at the last start. JavaScript for the reason given
// in server.js.
const { enableCompileCache } = await import('node:module')
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'))
await import('./cli.ts')
