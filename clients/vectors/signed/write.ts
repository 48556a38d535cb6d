import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listWebhookVectors, type Vector } from './webhooks.ts'

// Writes the vectors that the service's own code signs, with constant test keys.

/** Returns the text of each file by its name. Leaves out undefined members. */
export const writeSignedVectors = (): Record<string, string> => {
  const format = (vectors: readonly Vector[]) =>
    `[\n${vectors.map((vector) => JSON.stringify(vector)).join(',\n')}\n]\n`
  return { webhooks: format(listWebhookVectors()) }
}

if (import.meta.main) {
  const place = (name: string) => join(import.meta.dirname, `../${name}.json`)
  const counts = JSON.parse(readFileSync(place('counts'), 'utf8')) as Record<string, number>
  for (const [name, text] of Object.entries(writeSignedVectors())) {
    writeFileSync(place(name), text)
    counts[name] = JSON.parse(text).length
  }
  writeFileSync(place('counts'), `${JSON.stringify(counts, null, 2)}\n`)
}
