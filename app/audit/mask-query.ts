/** Replaces each value in the query of a URL by `***`, because customers put secrets there. */
export const maskQuery = <T extends string | null | undefined>(url: T): T => {
  const mark = url?.indexOf('?') ?? -1
  if (!url || mark === -1) return url
  const pairs = url.slice(mark + 1).split('&')
  const masked = pairs.map((pair) => pair.replace(/^([^=]*=)?.*$/s, '$1***'))
  return `${url.slice(0, mark)}?${masked.join('&')}` as T
}
