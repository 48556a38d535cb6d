/** Blocks in these languages are run. Blocks in other languages are outputs or texts. */
const languages = ['sh', 'sql', 'js', 'ts', 'python'] as const
const unknownLanguages = ['bash', 'shell', 'typescript', 'javascript', 'py', 'curl', '']

export type Example = {
  file: string
  line: number
  language: (typeof languages)[number]
  code: string
  /** The output block, if one follows directly. */
  outcome: { language: string; text: string; showsRefusal: boolean } | undefined
}

const fence = /^```(\S*)\n([\s\S]*?)^```$/gm

/** Returns the examples of a Markdown file. Throws if a block has another name of a runnable language, such as `bash`. */
export const listExamples = (file: string, markdown: string): Example[] => {
  const blocks = [...markdown.matchAll(fence)].map((match) => ({
    language: match[1] as string,
    text: match[2] as string,
    start: match.index,
    end: match.index + match[0].length,
    line: markdown.slice(0, match.index).split('\n').length + 1,
  }))
  const strange = blocks.find(({ language }) => unknownLanguages.includes(language))
  if (strange) throw new Error(`${file}:${strange.line}: write the block as one of ${languages.join(', ')}`)
  return blocks.flatMap((block, index): Example[] => {
    const language = languages.find((each) => each === block.language)
    if (!language) return []
    const next = blocks[index + 1]
    const isOutcome =
      next &&
      !languages.some((each) => each === next.language) &&
      markdown.slice(block.end, next.start).trim() === ''
    const outcome = isOutcome
      ? { language: next.language, text: next.text, showsRefusal: /"(status": [45]|error":)/.test(next.text) }
      : undefined
    return [{ file, line: block.line, language, code: block.text, outcome }]
  })
}

/** `…` in `expected` matches any text. */
const isLike = (expected: string, actual: string): boolean => {
  const parts = expected.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('[\\s\\S]*')}$`).test(actual)
}

/** Returns the first difference. `actual` may have more members than `expected`. */
const findLack = (expected: unknown, actual: unknown, path: string): string | undefined => {
  if (expected === '…') return actual === undefined || actual === null ? `${path} is missing` : undefined
  if (typeof expected === 'string') {
    return typeof actual === 'string' && isLike(expected, actual)
      ? undefined
      : `${path}: ${actual} for ${expected}`
  }
  if (typeof expected !== 'object' || expected === null) {
    return expected === actual ? undefined : `${path}: ${actual} for ${expected}`
  }
  if (typeof actual !== 'object' || actual === null) return `${path}: ${actual} for an object`
  if (Array.isArray(expected) && expected.length === 0) {
    return Array.isArray(actual) && actual.length === 0 ? undefined : `${path} is not empty`
  }
  for (const [name, each] of Object.entries(expected)) {
    const lack = findLack(each, (actual as Record<string, unknown>)[name], `${path}/${name}`)
    if (lack !== undefined) return lack
  }
  return undefined
}

/** Returns the last JSON value of an output, such as the last line of NDJSON. */
const lastJson = (output: string): unknown => {
  for (let at = output.indexOf('{'); at >= 0; at = output.indexOf('{', at + 1)) {
    try {
      return JSON.parse(output.slice(at))
    } catch {
      // The value begins later.
    }
  }
  throw new Error(`no JSON: ${output}`)
}

/**
 * Returns the difference between an output and the guide; `undefined` if they match. JSON may have more members,
 * and HTTP more lines in any order. Plain text must be equal.
 */
export const matches = (shown: string, language: string, output: string): string | undefined => {
  if (language === 'json') return findLack(JSON.parse(shown), lastJson(output), '')
  const lines = output.split(/\r?\n/)
  if (language === 'http') {
    const missing = shown
      .trim()
      .split('\n')
      .find((line) => !lines.some((each) => isLike(line, each)))
    return missing === undefined ? undefined : `no line like ${missing}`
  }
  return isLike(shown.trim(), output.trim()) ? undefined : `${output.trim()} for ${shown.trim()}`
}
