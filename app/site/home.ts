import { type HomeExample, type HomeOptions, type HomeState, homePage } from './home-page.ts'
import type { PageContent } from './layout.ts'

export type Home<File> = Readonly<{
  /** Shows the state of the service. `read` returns the same object until the state changes. Throws at a second call. */
  showState(read: () => HomeState): void
  /** Shows a page with example data. For plugins of routes, when they are registered. Throws at a second call. */
  showExample(example: HomeExample): void
  /** The shown example. `undefined` if no feature has one. */
  readExample(): HomeExample | undefined
  /** Returns the page of a day (YYYY-MM-DD). Renders it when the day or the state changes. */
  read(today: string): File
}>

/** Creates the start page. `toPage` lays it out. */
export const createHome = <File>({
  toPage,
  ...options
}: HomeOptions & { toPage: (content: PageContent) => File }): Home<File> => {
  let readState: (() => HomeState) | undefined
  let example: HomeExample | undefined
  let made: { today: string; state: HomeState | undefined; file: File } | undefined
  return {
    showState(read) {
      if (readState) throw new Error('two features show the state of the service')
      readState = read
    },
    showExample(given) {
      if (example) throw new Error('two features show an example')
      example = given
    },
    readExample: () => example,
    read(today) {
      const state = readState?.()
      if (made?.today !== today || made.state !== state) {
        made = { today, state, file: toPage(homePage({ ...options, today, state, example })) }
      }
      return made.file
    },
  }
}
