const pages = new Set([
  '/',
  '/demo',
  '/access',
  '/key',
  '/status',
  '/status.json',
  '/docs',
  '/problems',
  '/llms.txt',
  '/robots.txt',
  '/favicon.ico',
])
const folders = ['/assets/', '/docs/', '/problems/']

/** Whether a target is a page or an asset. These redirect plain HTTP to TLS: their requests have no token to leak. */
export const isPageTarget = (target: string): boolean => {
  const [path = ''] = target.split('?', 1)
  return (
    pages.has(path) || path === '/.well-known/security.txt' || folders.some((each) => path.startsWith(each))
  )
}
