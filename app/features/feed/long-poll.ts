import type { FeedPage } from './read.ts'
import type { SyncToken } from './token.ts'
import { reauthorizingWakes, type Watch } from './wait.ts'

/** Reads until a page has changes or more, rights change or the watch ends. Rejects like `checkRights`. */
export const readUntilChanged = async (
  watch: Watch,
  read: (token: SyncToken | undefined) => Promise<FeedPage>,
  token: SyncToken | undefined,
  checkRights: () => Promise<unknown>,
): Promise<FeedPage> => {
  try {
    let page = await read(token)
    while (page.changes.length === 0 && !page.hasMore) {
      const wake = await watch.next()
      // The page is empty: the client continues with the token that it sent.
      if (wake === 'closing') return { ...page, token: token ?? page.token }
      if (wake === 'gone') return page
      if (reauthorizingWakes.includes(wake)) await checkRights()
      if (wake === 'rights') return page
      page = await read(page.token)
      if (wake === 'time') return page
    }
    return page
  } finally {
    watch.end()
  }
}
