import { make } from './ui.js'

/** Rejects with the reason if the service refuses. @param {string} target with `format=xlsx` @param {string} token */
export const downloadWorkbook = async (target, token) => {
  const answer = await fetch(target, { headers: { Authorization: `Bearer ${token}` } })
  if (!answer.ok) throw new Error((await answer.json()).detail)
  const name = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1]
  const href = URL.createObjectURL(await answer.blob())
  make('a', { href, download: name ?? 'answer.xlsx' }).click()
  URL.revokeObjectURL(href)
}
