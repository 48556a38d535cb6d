import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { bind, bindSources } from '../../../app/features/custom/bind.ts'
import { checkDocument } from '../../../app/features/custom/check.ts'
import { readText } from '../../../app/features/custom/read.ts'
import { listStatement, objectStatement } from '../../../app/features/custom/sql/read.ts'
import { customVersion } from '../../../app/features/custom/version.ts'
import { joinVersions } from '../../../app/records/resources/define.ts'
import { resources } from '../../../app/records/resources/index.ts'
import { type Computing, moment, show, withFunctions } from '../../records/computing.ts'
import { checkVersion } from '../../records/golden.ts'

const root = join(import.meta.dirname, '../../..')

const listDocuments = (): string[] => [
  ...globSync('examples/custom/*.yaml', { cwd: root })
    .sort()
    .map((file) => readFileSync(join(root, file), 'utf8')),
  ...[
    ...readFileSync(join(root, 'docs/custom-documents.md'), 'utf8').matchAll(/^```yaml\n([\s\S]*?)^```$/gm),
  ].map(([, text]) => text as string),
]

/** Of the documents in `examples/custom` and in the guide, with the examples and defaults of their parameters. */
const computingOfCustom = (): Computing =>
  withFunctions(
    listDocuments().map((text): [string, string] => {
      const document = checkDocument(readText(text))
      const { name, body, params } = document
      const given = new Map<string, string>()
      for (const each of params.values()) {
        const value = each.example ?? each.default ?? each.values?.[0]
        if (value !== undefined) given.set(each.name, value)
      }
      const sources = bindSources(document, given)
      if (!('queries' in sources)) throw new Error(`${name}: ${JSON.stringify(sources.faults)}`)
      const bound = bind(document, sources.queries, given, moment)
      if ('object' in body) return [`custom ${name}`, show(objectStatement(body.object, bound))]
      const page = { ...bound.getPlan(body.list.source), limit: 50, count: true }
      return [`custom ${name}`, show(listStatement(body.list, page, bound))]
    }),
  )

t.test('a custom answer that is computed in another way has another version', async (t) => {
  const [own = ''] = customVersion.split('.')
  checkVersion(t, import.meta.filename, {
    name: 'custom',
    file: 'app/features/custom/version.ts',
    version: own,
    computing: computingOfCustom(),
  })
})

t.test('the keys of custom endpoints contain the versions of the resources', async (t) => {
  t.match(customVersion, joinVersions(Object.values(resources)))
})
