import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  LineCounter,
  type Node,
  parseAllDocuments,
  visit,
} from 'yaml'
import { bounds } from './document.ts'
import { DocumentError } from './faults.ts'

const throwFault = (path: string, detail: string): never => {
  throw new DocumentError([{ path, detail }])
}

const findUnsupported = (node: Node): string | undefined => {
  if (isAlias(node)) return 'aliases (*name) are not allowed: repeat the value'
  if (!isScalar(node)) return undefined
  const { value, source } = node
  if (typeof value === 'string') {
    return value.isWellFormed() && !value.includes('\u0000')
      ? undefined
      : 'U+0000 and lone surrogates cannot be stored'
  }
  if (value === null || String(value) === source) return undefined
  return `${source} would be read as ${String(value)}: write a text in quotes, a number in plain digits, true and false in small letters`
}

/** Turns names such as `null` and `1` into texts. Returns the first bad name. A copied object loses `__proto__`. */
const convertNames = (node: Node): { name: Node; detail: string } | undefined => {
  if (!isMap<Node>(node)) return undefined
  const seen = new Set<string>()
  for (const { key } of node.items) {
    if (!isScalar(key)) return { name: key, detail: 'expected a text as a name' }
    if (typeof key.value !== 'string') key.value = key.source ?? String(key.value)
    const name = key.value as string
    if (name === '__proto__') return { name: key, detail: 'expected another name than __proto__' }
    if (seen.has(name)) return { name: key, detail: `${name} exists already` }
    seen.add(name)
  }
  return undefined
}

const isYaml12 = ({ directives }: Document.Parsed): boolean => directives.yaml.version === '1.2'

/** Parses a custom endpoint's YAML 1.2. Throws a DocumentError with one fault, also for `1.0` or `True`. */
export const readText = (text: string): unknown => {
  if (Buffer.byteLength(text) > bounds.documentBytes)
    throwFault('', `expected at most ${bounds.documentBytes} bytes`)
  const lineCounter = new LineCounter()
  const documents = parseAllDocuments(text, {
    lineCounter,
    prettyErrors: false,
    strict: true,
    uniqueKeys: true,
  })
  const [document] = documents
  if (!Array.isArray(documents) || documents.length !== 1 || !document) {
    return throwFault('', `expected one document, got ${Array.isArray(documents) ? documents.length : 0}`)
  }
  const formatLine = (position: number) => `line ${lineCounter.linePos(position).line}`
  const [problem] = [...document.errors, ...document.warnings]
  if (problem) throwFault(formatLine(problem.pos[0]), problem.message)
  if (!isYaml12(document)) throwFault('line 1', 'expected YAML 1.2: leave the directive %YAML out')
  visit(document, {
    Node(_key, node) {
      const bad = convertNames(node as Node)
      if (bad) throwFault(formatLine(bad.name.range?.[0] ?? 0), bad.detail)
      const detail = findUnsupported(node as Node)
      if (detail !== undefined) throwFault(formatLine(node.range?.[0] ?? 0), detail)
      return undefined
    },
  })
  return document.toJS()
}
