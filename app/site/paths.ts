import type { PageEntry } from './options.ts'

const kernelPages = [
  '/',
  '/demo',
  '/key',
  '/status',
  '/status.json',
  '/docs',
  '/problems',
  '/llms.txt',
  '/robots.txt',
  '/favicon.ico',
]
const folders = ['/assets/', '/docs/', '/problems/']

/**
 * Creates a function that returns true for the target of a page or an asset. These redirect plain HTTP to TLS: their
 * requests have no token to leak. `entries`: the pages of features.
 */
export const createPageTest = (entries: readonly PageEntry[]): ((target: string) => boolean) => {
  const pages = new Set([...kernelPages, ...entries.map(({ path }) => path)])
  return (target) => {
    const [path = ''] = target.split('?', 1)
    return (
      pages.has(path) || path === '/.well-known/security.txt' || folders.some((each) => path.startsWith(each))
    )
  }
}
