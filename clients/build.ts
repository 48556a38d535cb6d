import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packagesFolder } from '../app/features/clients/packages.ts'
import { buildPackages, formatHashes, replaceHashes, writePackages } from './tools/packages.ts'

// Builds both packages into the folder from which the service sends them. `--write-hashes` also writes their
// hashes into the changelog.

const packages = buildPackages()
const folder = fileURLToPath(packagesFolder)
writePackages(packages, folder)
for (const each of packages) console.log(formatHashes(each))
console.log(
  `The files are in ${relative(process.cwd(), folder)}. Start the service again: it then sends them at /clients/.`,
)
if (process.argv.includes('--write-hashes')) {
  const changelog = join(import.meta.dirname, '../CHANGELOG.md')
  writeFileSync(changelog, replaceHashes(readFileSync(changelog, 'utf8'), packages))
}
