import { createRoundRobin, type RoundRobin } from './round-robin.ts'

/** A customer, or a client's network within a larger network, its site. */
export type Owner = string | Readonly<{ network: string; site: string }>

/** `left`: items that may leave before the next site's turn. A customer is a site with one owner. */
type Site<T> = { queue: RoundRobin<T>; left: number }

/** Items per round for a site with several owners, after its first round. Other sites have one. */
const shareOfSite = 2

/** Returns the unique name of an owner. */
export const getOwnerName = (owner: Owner): string => (typeof owner === 'string' ? owner : owner.network)

const getSiteName = (owner: Owner): string => (typeof owner === 'string' ? owner : owner.site)

/** Creates a queue in which sites take turns. A site of many networks has at most twice the turns of a customer. */
export const createFairQueue = <T>() => {
  const sites = new Map<string, Site<T>>()
  let size = 0

  const countShare = ({ queue }: Site<T>): number => Math.min(shareOfSite, queue.owners)
  const drop = (name: string, { queue }: Site<T>): void => {
    size -= 1
    if (queue.size === 0) sites.delete(name)
  }
  const rotate = (name: string, site: Site<T>): void => {
    site.left -= 1
    if (site.left > 0) return
    site.left = countShare(site)
    sites.delete(name)
    sites.set(name, site)
  }

  return {
    push(owner: Owner, item: T): void {
      const name = getSiteName(owner)
      const site = sites.get(name) ?? { queue: createRoundRobin<T>(), left: 1 }
      sites.set(name, site)
      site.queue.push(getOwnerName(owner), item)
      size += 1
    },
    shift(mayRun: (owner: string) => boolean): T | undefined {
      for (const [name, site] of sites) {
        const item = site.queue.shift(mayRun)
        if (item === undefined) continue
        rotate(name, site)
        drop(name, site)
        return item
      }
      return undefined
    },
    remove(owner: Owner, item: T): void {
      const name = getSiteName(owner)
      const site = sites.get(name)
      if (site?.queue.remove(getOwnerName(owner), item)) drop(name, site)
    },
    popOfLongest(): T | undefined {
      let longest: [string, Site<T>] | undefined
      for (const entry of sites) if (entry[1].queue.size > (longest?.[1].queue.size ?? 0)) longest = entry
      if (!longest) return undefined
      const [name, site] = longest
      const item = site.queue.popOfLongest()
      drop(name, site)
      return item
    },
    get size() {
      return size
    },
  }
}
