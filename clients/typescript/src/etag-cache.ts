/** The body of an answer, and its ETag. */
export type Kept = { etag: string; body: string }

/** Stores answers between requests. It belongs to one customer: never share it between API keys. */
export type AnswerCache = {
  get(url: string): Kept | undefined
  set(url: string, kept: Kept): void
}

/** Keeps the most recently used answers, at most `size`. */
export const createAnswerCache = (size = 200): AnswerCache => {
  const entries = new Map<string, Kept>()
  return {
    get(url) {
      const kept = entries.get(url)
      if (kept) {
        entries.delete(url)
        entries.set(url, kept)
      }
      return kept
    },
    set(url, kept) {
      entries.delete(url)
      entries.set(url, kept)
      const oldest = entries.keys().next()
      if (entries.size > size && !oldest.done) entries.delete(oldest.value)
    },
  }
}
