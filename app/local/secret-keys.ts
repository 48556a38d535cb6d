import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { loadOrCreateSecret } from '../config/secrets.ts'

const secretFile = 'secret.key'

type Keeping = { directory?: string; mayCreate?: boolean }

/** Returns the configured keys, or a file's key. Creates a missing file, or throws if not `mayCreate`. */
export const openSecretKeys = (
  config: Config,
  packageRoot: string,
  { directory, mayCreate = true }: Keeping = {},
): readonly string[] => {
  if (config.secretKeys) return config.secretKeys
  const folder = directory ?? resolve(packageRoot, config.dataDir)
  const file = join(folder, secretFile)
  if (!mayCreate && !existsSync(file)) {
    throw new Error(
      `There is no ${file}: set SECRET_KEY to the service's, or DATA_DIR to its folder. The service and certdata migrate create the file`,
    )
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return [loadOrCreateSecret(file)]
}
