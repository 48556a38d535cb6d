import type { Get } from '../../helper.ts'
import type { Entry } from './entries.ts'

type Page = { data: Entry[]; page: { has_more: boolean; next_cursor: string | null; history_from: string } }

export const readPage = async (get: Get, url: string): Promise<Page> => {
  const answer = await get(url)
  if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.body}`)
  return answer.json()
}

/** Follows the cursors. */
export const readAll = async (get: Get, url: string, limit = 50): Promise<Entry[]> => {
  const entries: Entry[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { data, page } = await readPage(get, `${url}?limit=${limit}${cursor && `&cursor=${cursor}`}`)
    entries.push(...data)
    cursor = page.next_cursor
  }
  return entries
}
