import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Copies the files of the project that git does not ignore into a temporary folder, with a link to `node_modules`. */
export const copyProject = (root: string): { folder: string; remove: () => void } => {
  const folder = mkdtempSync(join(tmpdir(), 'certdata-mutants-'))
  chmodSync(folder, 0o711)
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 } as const
  const files = execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], options).split('\0')
  for (const file of files)
    if (file !== '' && existsSync(join(root, file))) cpSync(join(root, file), join(folder, file))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
