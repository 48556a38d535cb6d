/** A queue of items that belong to owners. Owners take turns; the items of one owner stay in their order. */
export type FairQueue<T> = {
  push(owner: string, item: T): void
  /**
   * Removes and returns the oldest item of the next owner in turn, skipping owners that are not allowed to run.
   * Returns undefined if no allowed owner has an item.
   */
  shift(mayRun: (owner: string) => boolean): T | undefined
  /** Removes the item, if it is still in the queue. */
  remove(owner: string, item: T): void
  /** Removes and returns the newest item of the owner with the most items. Returns undefined if the queue is empty. */
  popOfLongest(): T | undefined
  /** Items that leave the queue before a new item of this owner does, if every owner is allowed to run. */
  countAhead(owner: string): number
  /** Items of all owners. */
  readonly size: number
}

/** Round robin over owners: an owner with one item waits for one item of each other owner, not for all of them. */
export const createFairQueue = <T>(): FairQueue<T> => {
  /** Owners in the order of their turns. An owner without items is not in the map. */
  const itemsOf = new Map<string, T[]>()
  let size = 0

  const drop = (owner: string, items: T[]): void => {
    size -= 1
    if (items.length === 0) itemsOf.delete(owner)
  }

  return {
    push(owner, item) {
      const items = itemsOf.get(owner)
      if (items) items.push(item)
      else itemsOf.set(owner, [item])
      size += 1
    },
    shift(mayRun) {
      for (const [owner, items] of itemsOf) {
        if (!mayRun(owner)) continue
        const item = items.shift()
        itemsOf.delete(owner)
        itemsOf.set(owner, items)
        drop(owner, items)
        return item
      }
      return undefined
    },
    remove(owner, item) {
      const items = itemsOf.get(owner) ?? []
      const index = items.indexOf(item)
      if (index === -1) return
      items.splice(index, 1)
      drop(owner, items)
    },
    popOfLongest() {
      let longest: [string, T[]] | undefined
      for (const entry of itemsOf) if (entry[1].length > (longest?.[1].length ?? 0)) longest = entry
      if (!longest) return undefined
      const [owner, items] = longest
      const item = items.pop()
      drop(owner, items)
      return item
    },
    countAhead(owner) {
      const own = itemsOf.get(owner)?.length ?? 0
      let ahead = own
      for (const [other, items] of itemsOf) if (other !== owner) ahead += Math.min(items.length, own + 1)
      return ahead
    },
    get size() {
      return size
    },
  }
}
