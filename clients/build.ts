import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packagesFolder } from '../app/features/clients/packages.ts'
import { buildPackages, formatHashes, replaceHashes, writePackages } from './tools/packages.ts'

// Builds both packages into the folder from which the service sends them. `--write-hashes` also writes their
// hashes into the changelog.

const packages = buildPackages()
writePackages(packages, fileURLToPath(packagesFolder))
for (const each of packages) console.log(formatHashes(each))
if (process.argv.includes('--write-hashes')) {
  const changelog = join(import.meta.dirname, '../CHANGELOG.md')
  writeFileSync(changelog, replaceHashes(readFileSync(changelog, 'utf8'), packages))
}
