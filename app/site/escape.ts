const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for HTML content and quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (each) => entities[each] as string)

export type Html = Readonly<{ html: string }>

/** A template tag that escapes strings but not `Html`. `undefined` is empty. */
export const html = (
  parts: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[] | undefined)[]
): Html => ({ html: String.raw({ raw: parts }, ...values.map(toText)) })

const toText = (value: string | number | Html | readonly Html[] | undefined): string => {
  if (value === undefined) return ''
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value))
  return 'html' in value ? value.html : value.map((each) => each.html).join('')
}
