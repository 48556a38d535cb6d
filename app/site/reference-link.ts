import type { Route } from './openapi/description.ts'

/** A route as the reference shows it. */
export type DescribedRoute = Pick<Route, 'method' | 'path' | 'description'>

/** Returns the address of a route's description in the reference. Scalar makes the fragment from tag, method, path. */
export const toReferenceLink = ({ method, path, description: { tag } }: DescribedRoute): string =>
  `/docs#tag/${tag.name.toLowerCase().replaceAll(' ', '-')}/${method}${path.replace(/:([A-Za-z_]+)/g, '{$1}')}`

/**
 * Returns the address of the description of a GET request. `target`: path with or without a query. The start of the
 * reference if no route fits.
 */
export const findReferenceLink = (routes: readonly DescribedRoute[], target: string): string => {
  const segments = target.replace(/\?.*$/s, '').split('/')
  const found = routes.find(({ method, path }) => {
    const pattern = path.split('/')
    return (
      method === 'GET' &&
      pattern.length === segments.length &&
      pattern.every((part, i) => part.startsWith(':') || part === segments[i])
    )
  })
  return found ? toReferenceLink(found) : '/docs'
}
