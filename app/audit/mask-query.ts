/**
 * Returns a URL with `***` for each value of its query, as entries have it: customers put secrets there. Names of
 * parameters stay. Null and undefined stay what they are.
 */
export const maskQuery = <T extends string | null | undefined>(url: T): T => {
  const mark = url?.indexOf('?') ?? -1
  if (!url || mark === -1) return url
  const pairs = url.slice(mark + 1).split('&')
  // What has no name is a value.
  const masked = pairs.map((pair) => pair.replace(/^([^=]*=)?.*$/s, '$1***'))
  return `${url.slice(0, mark)}?${masked.join('&')}` as T
}
