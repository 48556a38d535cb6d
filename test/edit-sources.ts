import { registerHooks } from 'node:module'

/** Replaces a text in one file of the service. */
export type Edit = { file: string; from: string; to: string }

/** Applies the edits to modules that this process loads later. A module that lacks the text fails to load. */
export const editSources = (edits: readonly Edit[]): void => {
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      let { source } = loaded
      for (const { file, from, to } of edits.filter(({ file }) => url.endsWith(`/${file}`))) {
        if (!String(source).includes(from)) throw new Error(`${file} does not contain "${from}"`)
        source = String(source).replace(from, to)
      }
      return { ...loaded, source }
    },
  })
}
