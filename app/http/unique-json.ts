/** A string with the colon behind it, if it names a member; or where an object begins or ends. */
const token = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}]/g

/**
 * Returns the value of a JSON text. Throws if it is no JSON, or if an object has two members of one name: programs differ
 * in which of them they read (RFC 8259, section 4).
 */
export const parseUniqueJson = (text: string): unknown => {
  const value: unknown = JSON.parse(text)
  const objects: Set<string>[] = []
  for (const [part, string, colon] of text.matchAll(token)) {
    if (part === '{') objects.push(new Set())
    else if (part === '}') objects.pop()
    else if (string !== undefined && colon !== undefined) {
      const name = JSON.parse(string) as string
      const names = objects.at(-1)
      if (names?.has(name)) throw new SyntaxError('an object has two members of one name')
      names?.add(name)
    }
  }
  return value
}
