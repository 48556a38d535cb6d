import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { loadOrCreateSecret } from '../config/secrets.ts'

const secretFile = 'secret.key'

/**
 * The configured secret keys; where none are, one generated and kept (0600) in `directory`, by default
 * DATA_DIR. Production never comes here without keys: parseConfig refuses.
 */
export const openSecretKeys = (
  config: Config,
  packageRoot: string,
  directory?: string,
): readonly string[] => {
  if (config.secretKeys) return config.secretKeys
  const folder = directory ?? resolve(packageRoot, config.dataDir)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return [loadOrCreateSecret(join(folder, secretFile))]
}
