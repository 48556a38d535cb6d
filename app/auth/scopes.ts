import { resourceNames } from '../resources/index.ts'

/** Every scope that a key without limits has: one a resource. */
export const listScopes = (): string[] => resourceNames.map((name) => `${name}:read`)
