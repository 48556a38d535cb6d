/** Creates a queue in which owners take turns, one item each. */
export const createRoundRobin = <T>() => {
  const itemsByOwner = new Map<string, T[]>()
  let size = 0

  const drop = (owner: string, items: T[]): void => {
    size -= 1
    if (items.length === 0) itemsByOwner.delete(owner)
  }

  return {
    push(owner: string, item: T): void {
      const items = itemsByOwner.get(owner)
      if (items) items.push(item)
      else itemsByOwner.set(owner, [item])
      size += 1
    },
    /** Removes the oldest item of the next owner that may run. `undefined` if there is none. */
    shift(mayRun: (owner: string) => boolean): T | undefined {
      for (const [owner, items] of itemsByOwner) {
        if (!mayRun(owner)) continue
        const item = items.shift()
        itemsByOwner.delete(owner)
        itemsByOwner.set(owner, items)
        drop(owner, items)
        return item
      }
      return undefined
    },
    remove(owner: string, item: T): boolean {
      const items = itemsByOwner.get(owner) ?? []
      const index = items.indexOf(item)
      if (index === -1) return false
      items.splice(index, 1)
      drop(owner, items)
      return true
    },
    popOfLongest(): T | undefined {
      let longest: [string, T[]] | undefined
      for (const entry of itemsByOwner) if (entry[1].length > (longest?.[1].length ?? 0)) longest = entry
      if (!longest) return undefined
      const [owner, items] = longest
      const item = items.pop()
      drop(owner, items)
      return item
    },
    get size() {
      return size
    },
    get owners() {
      return itemsByOwner.size
    },
  }
}

export type RoundRobin<T> = ReturnType<typeof createRoundRobin<T>>
