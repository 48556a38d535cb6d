/** Routes by the paths that plainly lead to them. */
export type Routes<Config> = {
  /** `url`: a pattern; those with a parameter elsewhere than at the end are left out. */
  add(url: string, config: Config): void
  /** Undefined: the router may know. */
  find(path: string): Readonly<{ url: string; config: Config }> | undefined
}

/** What no router has to decode, and what is long enough for every id. */
const plainSegment = /^[\w.~-]{1,64}$/

export const createRoutes = <Config>(): Routes<Config> => {
  const exact = new Map<string, { url: string; config: Config }>()
  const below = new Map<string, { url: string; config: Config }>()
  return {
    add(url, config) {
      const parameter = /^([^:*]*\/):\w+$/.exec(url)
      if (parameter) below.set(parameter[1] as string, { url, config })
      else if (!/[:*]/.test(url)) exact.set(url, { url, config })
    },
    find(path) {
      const known = exact.get(path)
      if (known) return known
      const slash = path.lastIndexOf('/') + 1
      const found = below.get(path.slice(0, slash))
      return found && plainSegment.test(path.slice(slash)) ? found : undefined
    },
  }
}
