import type { PageEntry } from './options.ts'

const kernelPages = ['/', '/key', '/docs', '/problems', '/llms.txt', '/robots.txt', '/favicon.ico']
const folders = ['/assets/', '/docs/', '/problems/']

/**
 * Creates a function that returns true for the target of a page or an asset. These redirect plain HTTP to TLS: their
 * requests have no token to leak. `entries`: the pages of features, with those of the footer; one that ends with `/` is a folder.
 */
export const createPageTest = (entries: readonly PageEntry[]): ((target: string) => boolean) => {
  const paths = entries.map(({ path }) => path)
  const pages = new Set([...kernelPages, ...paths])
  const all = [...folders, ...paths.filter((path) => path.endsWith('/'))]
  return (target) => {
    const [path = ''] = target.split('?', 1)
    return (
      pages.has(path) || path === '/.well-known/security.txt' || all.some((each) => path.startsWith(each))
    )
  }
}
