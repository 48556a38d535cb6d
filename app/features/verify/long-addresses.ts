import { hash } from 'node:crypto'
import type { Check, World } from './check.ts'
import { readJson } from './service.ts'

/** A head of the answer is about 1.5 KiB larger than half of its address, more than the 4 KiB of nginx's default. */
const ids = Array.from({ length: 150 }, (_, n) => hash('sha256', `id ${n}`).slice(0, 44))

/** nginx calls 4 KiB or 8 KiB enough for a head, and refuses the answer with 502. Its limit for a target is 8 KiB. */
const longAddress = async ({ get, expect }: World): Promise<void> => {
  for (const count of [40, 150]) {
    const answer = await get(`{list}?limit=1&id[nin]=${ids.slice(0, count).join()}`)
    const hint =
      answer.status === 502 ? ': a proxy has too small a buffer for heads (nginx: proxy_buffer_size 16k)' : ''
    expect.that(answer.status === 200, answer, 'status 200', `status ${answer.status}${hint}`)
    if (answer.status !== 200) return
    const hasMore = readJson(answer, '/page/has_more') === true
    const hasLink = (answer.headers.link ?? '').includes('rel="next"')
    expect.that(hasMore === hasLink, answer, 'Link: …; rel="next" if there is more', answer.headers.link)
  }
}

export const longAddresses: readonly Check[] = [
  {
    section: 4,
    promise: 'an address of 7 KiB gets an answer with its link to the next page',
    run: longAddress,
  },
]
