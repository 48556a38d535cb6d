/** @param {string[]} urls @param {string} token */
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
