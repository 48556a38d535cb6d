/** Escapes text for HTML. */
export const toEntities = (text: string): string =>
  text.replace(/[&<>"]/g, (each) => `&#${each.charCodeAt(0)};`)

const style = `body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem}:root{color-scheme:light dark}
table{border-collapse:collapse;width:100%;margin:1rem 0}th,td{padding:.4rem .6rem;text-align:right;border-bottom:1px solid #8884}
th:first-child,td:first-child{text-align:left}small{opacity:.7;display:block}
.reached{fill:#2f9e6e;color:#2f9e6e}.missed{fill:#d9822b;color:#d9822b}`

/** Returns a self-contained page, dark and light. `body` and `css` are not escaped. */
export const toPage = (title: string, body: string, css = ''): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${toEntities(title)}</title><style>${style}${css}</style><h1>${toEntities(title)}</h1>
${body}</html>\n`

export type Cell = string | number

/** Takes rows in the format of `console.table`. */
export const toTable = (
  first: string,
  rows: Readonly<Record<string, Readonly<Record<string, Cell>>>>,
): string => {
  const columns = [...new Set(Object.values(rows).flatMap((row) => Object.keys(row)))]
  const cell = (value: Cell | undefined) => `<td>${toEntities(String(value ?? ''))}</td>`
  const lines = Object.entries(rows).map(
    ([name, row]) => `<tr>${cell(name)}${columns.map((column) => cell(row[column])).join('')}</tr>`,
  )
  const heads = [first, ...columns].map((name) => `<th>${toEntities(name)}</th>`)
  return `<table><tr>${heads.join('')}</tr>${lines.join('')}</table>`
}
