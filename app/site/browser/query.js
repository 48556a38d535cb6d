/**
 * The query as the demo keeps it: names and values in order, as they are sent.
 * @typedef {[name: string, value: string]} Pair
 */

/** Readable where that is safe: only what would be misread is escaped. @param {string} text */
const encode = (text) =>
  encodeURIComponent(text)
    .replace(/%5B/g, '[')
    .replace(/%5D/g, ']')
    .replace(/%2C/g, ',')
    .replace(/%3A/g, ':')
    .replace(/'/g, '%27')

/** @param {string} path @param {string} id @param {readonly Pair[]} pairs */
export const toTarget = (path, id, pairs) => {
  const query = pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
  const target = path.replace('{id}', encodeURIComponent(id).replace(/'/g, '%27'))
  return query === '' ? target : `${target}?${query}`
}

/** @param {string} search with or without the question mark @returns {Pair[]} */
export const fromSearch = (search) => [...new URLSearchParams(search)]

/** Splits a list at its commas. Escaped commas do not split. @param {string} value */
export const splitList = (value) => (value === '' ? [] : value.split(/(?<!\\),/))

/**
 * The pairs with what an error suggests in place of what was wrong.
 * @param {readonly Pair[]} pairs
 * @param {{ parameter?: string, code: string, did_you_mean?: string }} fault
 * @param {(item: string) => boolean} isGood whether a value of that parameter is one of those there are
 * @returns {Pair[]}
 */
export const applySuggestion = (pairs, { parameter, code, did_you_mean: better = '' }, isGood) =>
  pairs.map(([name, value]) => {
    if (name !== parameter) return [name, value]
    if (code === 'unknown_parameter' || code === 'unknown_operator') return [better, value]
    const items = splitList(value)
    const wrong = items.findIndex((item) => !isGood(item.replace(/^-/, '')))
    if (wrong === -1) return [name, better]
    const sign = items[wrong]?.startsWith('-') && !better.startsWith('-') ? '-' : ''
    return [name, items.with(wrong, sign + better).join(',')]
  })

/** The request, or several, in three languages. @param {string[]} urls @param {string} token */
export const snippets = (urls, token) => {
  const [url = ''] = urls
  const curl = urls
    .map(
      (each) =>
        `curl -g '${each}' \\\n  -H 'Authorization: Bearer ${token}' \\\n  -H 'Accept: application/json'`,
    )
    .join('\n\n')
  const headers = `headers: { Authorization: 'Bearer ${token}', Accept: 'application/json' },`
  const pythonHeaders = `headers = {
    'Authorization': 'Bearer ${token}',
    'Accept': 'application/json',
}`
  const list = urls.map((each) => `'${each}',`)
  if (urls.length > 1)
    return {
      curl,
      javascript: `const urls = [\n  ${list.join('\n  ')}\n]
const ask = async (url) => {
  const answer = await fetch(url, {
    ${headers}
  })
  if (!answer.ok) throw new Error((await answer.json()).detail)
  return await answer.json()
}
const bodies = await Promise.all(urls.map(ask))`,
      python: `import json
from urllib.request import Request, urlopen

urls = [\n    ${list.join('\n    ')}\n]
${pythonHeaders}
bodies = []
for url in urls:
    with urlopen(Request(url, headers=headers)) as answer:
        bodies.append(json.load(answer))`,
    }
  return {
    curl,
    javascript: `const answer = await fetch('${url}', {
  ${headers}
})
if (!answer.ok) throw new Error((await answer.json()).detail)
const body = await answer.json()`,
    python: `import json
from urllib.request import Request, urlopen

url = '${url}'
${pythonHeaders}
with urlopen(Request(url, headers=headers)) as answer:
    body = json.load(answer)`,
  }
}
