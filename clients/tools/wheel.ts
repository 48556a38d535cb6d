import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createZip, type PackedFile } from './archives.ts'

const source = join(import.meta.dirname, '../python')

type Values = Readonly<Record<string, string | readonly string[]>>

/** Reads the sections of `pyproject.toml`. Values that are neither texts nor lists of texts are left out. */
const readProject = (): Readonly<Record<string, Values>> => {
  const text = readFileSync(join(source, 'pyproject.toml'), 'utf8')
  const sections = text.split(/^\[(.+)\]$/m).slice(1)
  const found: Record<string, Values> = {}
  for (let at = 0; at < sections.length; at += 2) {
    const values = [...(sections[at + 1] ?? '').matchAll(/^([\w-]+) = ("[^"]*"|\[[^\]]*\])$/gm)].map(
      ([, name = '', value = '']) => [name, JSON.parse(value.replace(/,\s*\]$/, ']'))] as const,
    )
    found[sections[at] as string] = Object.fromEntries(values)
  }
  return found
}

const requireText = (values: Values | undefined, name: string): string => {
  const value = values?.[name]
  if (typeof value !== 'string') throw new Error(`pyproject.toml has no text ${name}`)
  return value
}

const listTexts = (values: Values | undefined, name: string): readonly string[] => {
  const value = values?.[name] ?? []
  return typeof value === 'string' ? [value] : value
}

/** As Hatch writes a requirement: the name with hyphens, and the conditions in order. */
const formatRequirement = (text: string): string => {
  const [, name = '', conditions = ''] = /^([\w.-]+)(.*)$/.exec(text) ?? []
  return name.replaceAll('_', '-') + conditions.split(',').sort().join(',')
}

const listRequirements = (extras: Values): string[] =>
  Object.keys(extras).flatMap((extra) => [
    `Provides-Extra: ${extra}`,
    ...listTexts(extras, extra).map(
      (text) => `Requires-Dist: ${formatRequirement(text)}; extra == '${extra}'`,
    ),
  ])

/** Core metadata of Python packages, version 2.4, as Hatch writes it. */
const formatMetadata = (project: Values, extras: Values, readme: string): string => {
  const lines = [
    'Metadata-Version: 2.4',
    `Name: ${requireText(project, 'name')}`,
    `Version: ${requireText(project, 'version')}`,
    `Summary: ${requireText(project, 'description')}`,
    'License: UNLICENSED',
    `Keywords: ${[...listTexts(project, 'keywords')].sort().join(',')}`,
    ...listTexts(project, 'classifiers').map((each) => `Classifier: ${each}`),
    `Requires-Python: ${requireText(project, 'requires-python')}`,
    ...listTexts(project, 'dependencies').map((each) => `Requires-Dist: ${formatRequirement(each)}`),
    ...listRequirements(extras),
    'Description-Content-Type: text/markdown',
  ]
  return `${lines.join('\n')}\n\n${readme}`
}

const wheelText = `Wheel-Version: 1.0
Generator: certdata
Root-Is-Purelib: true
Tag: py3-none-any
`

const formatRecord = ({ path, content }: PackedFile): string =>
  `${path},sha256=${createHash('sha256').update(content).digest('base64url')},${content.length}\n`

/** Builds the wheel of the Python client without Python (PEP 427). */
export const buildWheel = (): { file: string; version: string; content: Buffer } => {
  const project = readProject()
  const about = project.project
  const version = requireText(about, 'version')
  const module = requireText(about, 'name').replaceAll('-', '_')
  const info = `${module}-${version}.dist-info`
  const readme = readFileSync(join(source, requireText(about, 'readme')), 'utf8')
  const code = globSync('**/{*.py,py.typed}', { cwd: join(source, 'src', module) }).sort()
  const command = Object.entries(project['project.scripts'] ?? {}).map(
    ([name, entry]) => `${name} = ${entry}`,
  )
  const texts: readonly (readonly [name: string, text: string])[] = [
    ['METADATA', formatMetadata(about ?? {}, project['project.optional-dependencies'] ?? {}, readme)],
    ['WHEEL', wheelText],
    ['entry_points.txt', `[console_scripts]\n${command.join('\n')}\n`],
  ]
  const files: PackedFile[] = [
    ...code.map((path) => ({
      path: `${module}/${path}`,
      content: readFileSync(join(source, 'src', module, path)),
    })),
    ...texts.map(([name, text]) => ({ path: `${info}/${name}`, content: Buffer.from(text) })),
  ]
  const record = { path: `${info}/RECORD`, content: Buffer.from('') }
  const content = Buffer.from(`${files.map(formatRecord).join('')}${record.path},,\n`)
  return {
    file: `${module}-${version}-py3-none-any.whl`,
    version,
    content: createZip([...files, { path: record.path, content }]),
  }
}
