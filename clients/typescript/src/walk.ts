import type { Query } from './query.ts'

export type Page = { data: readonly unknown[]; page: { next_cursor: string | null } }

/** Yields every page of a list. Reads the next one only when it is needed. */
export async function* walkPages<P extends Page>(
  read: (query: Query | undefined) => Promise<P>,
  query: Query | undefined,
): AsyncGenerator<P, void, undefined> {
  for (let asked = query; ; ) {
    const page = await read(asked)
    yield page
    const { next_cursor: cursor } = page.page
    if (cursor === null) return
    asked = { ...query, cursor }
  }
}

/** Yields every item of all pages. */
export async function* walkItems<T>(
  pages: AsyncIterable<{ data: readonly T[] }>,
): AsyncGenerator<T, void, undefined> {
  for await (const { data } of pages) yield* data
}
