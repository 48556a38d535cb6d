import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import type { Resource, ResourceName } from './define.ts'

const helpers = ['define.ts', 'index.ts', 'kind.ts']

const load = async (file: string): Promise<Resource> => {
  const name = basename(file, '.ts')
  const { [name]: definition }: Record<string, Resource | undefined> = await import(`./${file}`)
  if (definition?.name === name) return definition
  throw new Error(`app/records/resources/${file} exports no definition ${name} with the name '${name}'`)
}

const files = readdirSync(import.meta.dirname).filter((file) => !helpers.includes(file))
const definitions = (await Promise.all(files.sort().map(load))).sort((a, b) => a.rank - b.rank)

/** The definitions in this folder, by name, in the order of their ranks. */
export const resources = Object.fromEntries(
  definitions.map((definition) => [definition.name, definition]),
) as Readonly<Record<ResourceName, Resource>>

export const resourceNames: readonly ResourceName[] = definitions.map(({ name }) => name)
