const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text as HTML shows it, in content and in quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (each) => entities[each] as string)

/** HTML that may be put into a page as it is. */
export type Html = Readonly<{ html: string }>

/**
 * HTML of a template: strings are escaped, `Html` and lists of it are not, undefined is nothing. So that
 * what comes from outside cannot become markup by being forgotten.
 */
export const html = (
  parts: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[] | undefined)[]
): Html => ({ html: String.raw({ raw: parts }, ...values.map(toText)) })

const toText = (value: string | number | Html | readonly Html[] | undefined): string => {
  if (value === undefined) return ''
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value))
  return 'html' in value ? value.html : value.map((each) => each.html).join('')
}
