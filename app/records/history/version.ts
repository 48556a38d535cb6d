import type { Resource } from '../resources/define.ts'
import { compile } from '../sql/compile.ts'
import { digest, getVersion } from '../version.ts'
import { listHistory } from './list-statement.ts'
import { recordHistory } from './record-statement.ts'

const versions = new Map<string, string>()

/** Hashes the code that computes the histories of these resources, once. See `getVersion`. */
export const historyVersion = (resources: readonly Resource[]): string => {
  const names = resources.map(({ name }) => name).join()
  const known = versions.get(names)
  if (known !== undefined) return known
  const plan = { customerId: '', limit: 1, after: ['', '', '', ''] }
  const list = compile(listHistory({ ...plan, resources, since: '' })).text
  const records = resources.map((resource) =>
    [getVersion(resource), compile(recordHistory({ ...plan, resource, id: '', day: '' })).text].join(),
  )
  const version = digest([list, ...records])
  versions.set(names, version)
  return version
}
