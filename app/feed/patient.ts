import type { FeedPage } from './read.ts'
import type { SyncToken } from './token.ts'
import { judged, type Watch } from './wait.ts'

/**
 * Reads until there is something, or no more reason to wait, and ends the watch. `token`: the one that the request
 * asked with; undefined: it asked for one. `judge` rejects where the client may not go on.
 */
export const readPatiently = async (
  watch: Watch,
  read: (token: SyncToken | undefined) => Promise<FeedPage>,
  token: SyncToken | undefined,
  judge: () => Promise<unknown>,
): Promise<FeedPage> => {
  try {
    let page = await read(token)
    while (page.changes.length === 0 && !page.hasMore) {
      const wake = await watch.next()
      // The same token: what was answered to the request is what it asked with.
      if (wake === 'closing') return { ...page, token: token ?? page.token }
      if (wake === 'gone') return page
      if (judged.includes(wake)) await judge()
      if (wake === 'rights') return page
      page = await read(page.token)
      if (wake === 'time') return page
    }
    return page
  } finally {
    watch.end()
  }
}
