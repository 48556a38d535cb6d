/** How the cells of a column are read. */
export type ColumnMapping = Readonly<{
  column: string
  /** Empty: the column is ignored. */
  fields: readonly string[]
  /** Replacements of cells, or of each text of a list, by `toValueKey`. `null` empties the cell. */
  values: ReadonlyMap<string, string | null>
  /** Lines of the replacements in a map file, by `toValueKey`. */
  lines?: ReadonlyMap<string, number>
  /** Between the texts of a list. Optional. Defaults to the `;` of the export. */
  separators?: readonly string[]
}>

/** Returns the form in which a map compares cells: case and blanks do not matter. */
export const toValueKey = (text: string): string =>
  text.normalize('NFC').replace(/\s+/g, ' ').trim().toLowerCase()

const quoted = '"(?:[^"\\\\]|\\\\.)*"'
/** `rest` begins with `{` or `split`, so that a column may contain `=`. */
const form = new RegExp(
  `^(?<column>${quoted}|.*?)\\s*=\\s*(?<fields>[\\w.-]*(?:\\s*,\\s*[\\w.-]+)*)\\s*(?<rest>(?:\\{|split\\b).*)?$`,
  's',
)
const token = new RegExp(
  `[ \\t\\r]*(?:(?<quoted>${quoted})|(?<comment>#[^\\n]*)|(?<sign>[,:\\n{}])|(?<bare>(?:(?!\\s#)[^,:{}\\n"])+))`,
  'y',
)
const expected = 'expected <column> = <field> {<value>: <replacement>, …} split "<separator>" "<separator>"'

type Token = Readonly<{ kind: 'sign' | 'bare' | 'quoted'; text: string }>

const unquote = (text: string): string => {
  try {
    return JSON.parse(text) as string
  } catch {
    throw new Error(`${text} has an unknown escape; expected those of JSON, such as \\" and \\\\`)
  }
}

const readTokens = (text: string): Token[] => {
  const tokens: Token[] = []
  const source = text.trimEnd()
  for (token.lastIndex = 0; token.lastIndex < source.length; ) {
    const { quoted, sign, bare, comment } = token.exec(source)?.groups ?? {}
    if (quoted !== undefined) tokens.push({ kind: 'quoted', text: unquote(quoted) })
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign })
    else if (bare !== undefined) tokens.push({ kind: 'bare', text: bare.trim() })
    else if (comment === undefined) throw new Error(`${expected}; a quote is not closed`)
  }
  return tokens
}

const isSign = (next: Token | undefined, ...texts: string[]) =>
  next?.kind === 'sign' && texts.includes(next.text)
const isWord = (next: Token | undefined): next is Token => next !== undefined && next.kind !== 'sign'
const isEntryEnd = (next: Token | undefined) => isSign(next, ',', '\n', '}')

/** Reads `key: value` and removes it from `tokens`. A key without a value is no entry: its cells stay unchanged. */
const readEntry = (tokens: Token[], values: Map<string, string | null>): string | undefined => {
  const key = tokens.shift()
  if (!isWord(key) || !isSign(tokens.shift(), ':'))
    throw new Error('expected <value>: <replacement> within {}; write a value with , : # { or } in quotes')
  const value = isWord(tokens[0]) ? tokens.shift() : undefined
  if (!isEntryEnd(tokens[0]))
    throw new Error(`expected , or } after the replacement of ${JSON.stringify(key.text)}`)
  if (!value) return undefined
  const replacement = value.kind === 'bare' && value.text === 'null' ? null : value.text
  const known = values.get(toValueKey(key.text))
  if (known !== undefined && known !== replacement)
    throw new Error(`${JSON.stringify(key.text)} has two replacements; capitals and blanks do not matter`)
  values.set(toValueKey(key.text), replacement)
  return toValueKey(key.text)
}

/** `firstLine`: of the opening brace. */
const readValues = (tokens: Token[], firstLine: number) => {
  const values = new Map<string, string | null>()
  const lines = new Map<string, number>()
  let line = firstLine
  for (let next = tokens[0]; !isSign(next, '}'); next = tokens[0]) {
    if (next === undefined) throw new Error('a { is not closed')
    if (isSign(next, '\n')) line += 1
    if (isSign(next, ',', '\n')) {
      tokens.shift()
      continue
    }
    const key = readEntry(tokens, values)
    if (key !== undefined) lines.set(key, line)
  }
  tokens.shift()
  return { values, lines }
}

const readSeparators = (tokens: Token[]): string[] => {
  const separators: string[] = []
  while (tokens[0]?.kind === 'quoted' && tokens[0].text !== '')
    separators.push((tokens.shift() as Token).text)
  const isEnd = tokens[0] === undefined || isSign(tokens[0], '\n', '{')
  if (separators.length === 0 || !isEnd)
    throw new Error('expected separators in quotes after split, such as split "," or split ";" " + "')
  return separators
}

const readMapping = (text: string, firstLine?: number): ColumnMapping => {
  const { column = '', fields = '', rest = '' } = form.exec(text.trim())?.groups ?? {}
  if (!form.test(text.trim())) throw new Error(expected)
  const tokens = readTokens(rest)
  let values: ReadonlyMap<string, string | null> = new Map()
  let lines: ReadonlyMap<string, number> | undefined
  let separators: string[] | undefined
  for (let next = tokens.shift(); next; next = tokens.shift()) {
    if (isSign(next, '{') && values.size === 0) {
      const read = readValues(tokens, firstLine ?? 1)
      values = read.values
      if (firstLine !== undefined) lines = read.lines
    } else if (next.kind === 'bare' && next.text === 'split' && separators === undefined)
      separators = readSeparators(tokens)
    else if (!isSign(next, '\n')) throw new Error(expected)
  }
  return {
    column: /^".*"$/s.test(column) ? unquote(column) : column,
    fields: fields.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()])),
    values,
    ...(lines === undefined ? {} : { lines }),
    ...(separators === undefined ? {} : { separators }),
  }
}

/** Parses `Status = approval_status {erteilt: approved}`. Throws an `Error` that names the fault. */
export const parseMapping = (text: string): ColumnMapping => readMapping(text)

const hasOpenBrace = (text: string): boolean => {
  const signs = readTokens(form.exec(text)?.groups?.rest ?? '').filter(({ kind }) => kind === 'sign')
  return signs.some((sign) => isSign(sign, '{')) && !signs.some((sign) => isSign(sign, '}'))
}

/** Parses a map file: a mapping on each line, or over several lines within braces. A line with # is a comment. */
export const parseMappings = (text: string): ColumnMapping[] => {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
  const mappings: ColumnMapping[] = []
  for (let index = 0; index < lines.length; index++) {
    const start = index
    let mapping = lines[index] as string
    if (/^\s*(?:#|$)/.test(mapping)) continue
    try {
      while (hasOpenBrace(mapping) && index + 1 < lines.length) mapping += `\n${lines[++index]}`
      mappings.push(readMapping(mapping, start + 1))
    } catch (cause) {
      throw new Error(`line ${start + 1}: ${(cause as Error).message}`, { cause })
    }
  }
  return mappings
}
