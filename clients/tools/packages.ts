import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClientPackage } from '../../app/features/clients/packages.ts'
import { buildTarball } from './tarball.ts'
import { buildWheel } from './wheel.ts'

export type BuiltPackage = ClientPackage & Readonly<{ content: Buffer }>

/** Builds both packages. The same sources have the same bytes, on every machine and at every time. */
export const buildPackages = (): readonly BuiltPackage[] =>
  [
    { language: 'typescript' as const, ...buildTarball() },
    { language: 'python' as const, ...buildWheel() },
  ].map(({ language, file, version, content }) => ({
    language,
    file,
    version,
    sizeBytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    integrity: `sha512-${createHash('sha512').update(content).digest('base64')}`,
    content,
  }))

/** Replaces the folder by one with these packages and their list. */
export const writePackages = (packages: readonly BuiltPackage[], folder: string): void => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const { file, content } of packages) writeFileSync(join(folder, file), content)
  const list: ClientPackage[] = packages.map(({ language, file, version, sizeBytes, sha256, integrity }) => ({
    language,
    file,
    version,
    sizeBytes,
    sha256,
    integrity,
  }))
  writeFileSync(join(folder, 'packages.json'), `${JSON.stringify(list, null, 2)}\n`)
}

/** Returns the line of a package in the changelog. npm writes the second hash of a tarball into the lockfile. */
export const formatHashes = ({ language, file, sha256, integrity }: ClientPackage): string =>
  `- \`${file}\`: SHA-256 \`${sha256}\`${language === 'typescript' ? `, npm's \`integrity\` \`${integrity}\`` : ''}`

/** Replaces the lines of these packages in the changelog. Throws if one has no line yet. */
export const replaceHashes = (changelog: string, packages: readonly ClientPackage[]): string =>
  packages.reduce((text, each) => {
    const line = new RegExp(`^- \`${each.file.replaceAll('.', '\\.')}\`: .*$`, 'm')
    if (!line.test(text)) throw new Error(`the changelog has no line that begins with - \`${each.file}\`:`)
    return text.replace(line, formatHashes(each))
  }, changelog)
