import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'

/**
 * `npm run write:generated` writes the committed files that follow from definitions, schemas and migrations:
 * `app/db/schema.sql`, the golden files of the statements, and the types of the clients. Review the difference.
 */

const root = join(import.meta.dirname, '..')

const run = (file: string, env: Record<string, string> = {}): void => {
  execFileSync(process.execPath, [file], { cwd: root, env: { ...process.env, ...env }, stdio: 'inherit' })
}

// The golden files contain functions of the schema.
run('test/db/schema.test.ts', { WRITE_SCHEMA: '1' })
for (const file of globSync('test/**/versions.test.ts', { cwd: root }).sort())
  run(file, { WRITE_VERSIONS: '1' })
run('clients/typescript/write-types.ts')
