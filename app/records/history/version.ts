import type { Resource } from '../resources/define.ts'
import { joinVersions } from '../version.ts'

/** Of the statements in this folder. */
const version = 2

/** Returns the version of these resources' histories, for the keys of cached answers. */
export const historyVersion = (resources: readonly Resource[]): string =>
  `${version}.${joinVersions(resources)}`
