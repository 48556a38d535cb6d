/** A queue in whose front owners take turns. */
export type FairQueue<T> = {
  push(owner: string, item: T): void
  /**
   * Takes out the first item of whoever is next of those who may, and puts its owner behind all others; undefined:
   * nothing waits that may be next.
   */
  shift(mayBeNext?: (owner: string) => boolean): T | undefined
}

/**
 * First come, first served would have everybody wait behind one customer's burst. Here one of many items is next as
 * often as one of few, and an owner's own items stay in their order.
 */
export const createFairQueue = <T>(): FairQueue<T> => {
  /** In the order in which owners are next. */
  const waiting = new Map<string, T[]>()
  return {
    push(owner, item) {
      const items = waiting.get(owner)
      if (items) items.push(item)
      else waiting.set(owner, [item])
    },
    shift(mayBeNext = () => true) {
      for (const [owner, items] of waiting) {
        if (!mayBeNext(owner)) continue
        waiting.delete(owner)
        const item = items.shift()
        if (items.length > 0) waiting.set(owner, items)
        return item
      }
      return undefined
    },
  }
}
