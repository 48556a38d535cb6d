import { STATUS_CODES } from 'node:http'
import { catalogue, type ErrorCode } from '../errors.ts'
import { type GuideGroup, operators } from './guides.ts'
import { problemPath } from './problem-pages.ts'
import { problemWords } from './problem-words.ts'
import { type DescribedRoute, toReferenceLink } from './reference-link.ts'

/** A search result: `part` is the heading, endpoint or error code, `title` the page. */
type SearchEntry = Readonly<{
  title: string
  part: string
  path: string
  text: string
  isForOperators?: true
}>

const guideEntries = (groups: readonly GuideGroup[]): SearchEntry[] =>
  groups.flatMap((group) =>
    group.guides.flatMap(({ title, path, render }) =>
      render().sections.map((section) => ({
        title,
        part: section.depth === 1 ? '' : section.title,
        path: section.id === '' ? path : `${path}#${section.id}`,
        text: section.text,
        ...(group.title === operators ? { isForOperators: true as const } : {}),
      })),
    ),
  )

const problemEntries = (): SearchEntry[] =>
  (Object.keys(catalogue) as ErrorCode[]).map((code) => {
    const [status, title] = catalogue[code]
    return {
      title: `Error ${status} ${STATUS_CODES[status]}`,
      part: code,
      path: problemPath(code),
      text: `${title}. ${problemWords[code].means} ${problemWords[code].why}`,
    }
  })

const parameterWords = ({ description: { parameters = [] } }: DescribedRoute): string =>
  parameters.map(({ name }) => name).join(' ')

const routeEntries = (routes: readonly DescribedRoute[]): SearchEntry[] =>
  routes.map((route) => {
    const { summary, description } = route.description
    return {
      title: 'Reference',
      part: `${route.method} ${route.path}`,
      path: toReferenceLink(route),
      text: `${summary}. ${description} ${parameterWords(route)}`.replaceAll('`', ''),
    }
  })

/** Returns the index of guides, endpoints and errors that the browser searches. */
export const searchIndex = (
  groups: readonly GuideGroup[],
  routes: readonly DescribedRoute[],
): SearchEntry[] => [...guideEntries(groups), ...routeEntries(routes), ...problemEntries()]
