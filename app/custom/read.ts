import { isAlias, isScalar, LineCounter, parseAllDocuments, visit } from 'yaml'
import { bounds } from './document.ts'
import { DocumentError } from './faults.ts'

const refuse = (path: string, detail: string): never => {
  throw new DocumentError([{ path, detail }])
}

/**
 * The plain value of a YAML 1.2 or JSON text, which is YAML as well. Throws a DocumentError that names the line:
 * no duplicate keys, no aliases (what refers to itself has no end), no tags of its own, one document.
 */
export const readText = (text: string): unknown => {
  if (Buffer.byteLength(text) > bounds.documentBytes)
    refuse('', `expected at most ${bounds.documentBytes} bytes`)
  const lineCounter = new LineCounter()
  const documents = parseAllDocuments(text, {
    lineCounter,
    prettyErrors: false,
    strict: true,
    uniqueKeys: true,
  })
  const [document] = documents
  if (!Array.isArray(documents) || documents.length !== 1 || !document) {
    return refuse('', `expected one document, got ${Array.isArray(documents) ? documents.length : 0}`)
  }
  const lineOf = (position: number) => `line ${lineCounter.linePos(position).line}`
  const [problem] = [...document.errors, ...document.warnings]
  if (problem) refuse(lineOf(problem.pos[0]), problem.message)
  visit(document, {
    Pair(_key, { key }) {
      // `null: true` is a test, though YAML reads nothing there.
      if (isScalar(key) && typeof key.value !== 'string') key.value = key.source ?? String(key.value)
    },
    Node(_key, node) {
      if (isAlias(node)) refuse(lineOf(node.range?.[0] ?? 0), 'aliases (*name) are not taken: write it out')
      return undefined
    },
  })
  const value: unknown = document.toJS()
  // Whatever is no JSON (NaN, infinities, keys that are no text) is told by what it becomes.
  return JSON.parse(JSON.stringify(value))
}
