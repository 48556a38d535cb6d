import { joinVersions } from '../../records/resources/define.ts'
import { resources } from '../../records/resources/index.ts'

/** Of the statements in this folder. */
const version = 1

/** The version of all custom endpoints, for the keys of cached answers. Each endpoint may read every resource. */
export const customVersion = `${version}.${joinVersions(Object.values(resources))}`
