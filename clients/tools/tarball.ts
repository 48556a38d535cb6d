import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTarball } from './archives.ts'

const root = join(import.meta.dirname, '../..')
const source = join(root, 'clients/typescript')

/** Builds the package of the TypeScript client, with the files that `npm pack` would take. Needs TypeScript. */
export const buildTarball = (): { file: string; version: string; content: Buffer } => {
  const { name, version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
  const build = mkdtempSync(join(tmpdir(), 'certdata-client-'))
  try {
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    // A test runner's NODE_OPTIONS would load it into the compiler.
    const env = { PATH: process.env.PATH ?? '' }
    execFileSync(process.execPath, [tsc, '-p', source, '--outDir', join(build, 'dist')], { env })
    const places = [
      { folder: source, paths: ['package.json', 'README.md', ...globSync('bin/*', { cwd: source }).sort()] },
      { folder: build, paths: globSync('dist/*', { cwd: build }).sort() },
    ]
    const files = places.flatMap(({ folder, paths }) =>
      paths.map((path) => ({
        path: `package/${path}`,
        content: readFileSync(join(folder, path)),
        isExecutable: path.startsWith('bin/'),
      })),
    )
    return { file: `${name}-${version}.tgz`, version, content: createTarball(files) }
  } finally {
    rmSync(build, { recursive: true, force: true })
  }
}
