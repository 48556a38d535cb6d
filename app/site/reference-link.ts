import type { Route } from '../openapi/description.ts'

export type DescribedRoute = Pick<Route, 'method' | 'path' | 'description'>

/** Returns the URL of a route in the reference. The reference itself (Scalar) determines the form of the fragment. */
export const toReferenceLink = ({ method, path, description: { tag } }: DescribedRoute): string =>
  `/docs#tag/${tag.name.toLowerCase().replaceAll(' ', '-')}/${method}${path}`

/** Returns the URL of a GET request's route in the reference; `/docs` if no route matches `target`. */
export const findReferenceLink = (routes: readonly DescribedRoute[], target: string): string => {
  const segments = target.replace(/\?.*$/s, '').split('/')
  const found = routes.find(({ method, path }) => {
    const pattern = path.split('/')
    return (
      method === 'GET' &&
      pattern.length === segments.length &&
      pattern.every((part, i) => part.startsWith('{') || part === segments[i])
    )
  })
  return found ? toReferenceLink(found) : '/docs'
}
