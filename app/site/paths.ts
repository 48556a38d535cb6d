const pages = new Set(['/', '/demo', '/access', '/status', '/status.json', '/docs', '/problems', '/llms.txt'])
const folders = ['/assets/', '/docs/', '/problems/']

/**
 * Whether a request's target is a page or a part of one: it carries no token, so plain HTTP is redirected and
 * not refused.
 */
export const isPageTarget = (target: string): boolean => {
  const [path = ''] = target.split('?', 1)
  return (
    pages.has(path) || path === '/.well-known/security.txt' || folders.some((each) => path.startsWith(each))
  )
}
