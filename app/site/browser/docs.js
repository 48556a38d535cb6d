import { find } from './ui.js'

const root = find('#reference', HTMLElement)
const { token, script: source } = root.dataset

/** Any request may get these statuses. The reference omits them, because their tabs would hide the other ones. */
const anywhere = ['405', '408', '414', '431', '500', '501', '505', 'default']

/**
 * Turns an optional parameter into one row of text. Otherwise the reference would send its example, default or first
 * enum value with each request, and would show each operator of a filter as a parameter.
 * @param {Record<string, any>} parameter
 * @param {Record<string, any>} schemas
 */
const simplify = (parameter, schemas) => {
  if (parameter.required || parameter.$ref !== undefined) return
  const { example, style, schema = {} } = parameter
  const { enum: values, default: fallback, minLength: _, maxLength: __, ...rest } = schema
  const operators = Object.keys(schemas[schema.$ref?.split('/').at(-1)]?.properties ?? {})
  const words = [
    ...(values === undefined ? [] : [`One of: ${values.join(', ')}.`]),
    ...(fallback === undefined ? [] : [`Default: \`${fallback}\`.`]),
    ...(style === undefined && example !== undefined ? [`Example: \`${example}\`.`] : []),
    ...(operators.length > 0 ? [`Operators: ${operators.map((name) => `\`[${name}]\``).join(' ')}.`] : []),
  ]
  parameter.description = [parameter.description, ...words].join(' ')
  parameter.schema = style === undefined ? rest : { type: 'string' }
  for (const name of ['example', 'style', 'explode']) delete parameter[name]
}

/** @param {Record<string, any>} document */
const fit = (document) => {
  const { parameters = {}, schemas } = document.components
  for (const parameter of Object.values(parameters)) simplify(parameter, schemas)
  for (const item of Object.values(document.paths)) {
    for (const operation of Object.values(/** @type {Record<string, any>} */ (item))) {
      for (const parameter of operation.parameters ?? []) simplify(parameter, schemas)
      for (const status of anywhere) delete operation.responses[status]
    }
  }
  return document
}

/** @param {Record<string, any>} content */
const configure = (content) => ({
  content,
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  // The search of the site finds endpoints, too.
  hideSearch: true,
  showDeveloperTools: 'never',
  // The toggle would not change the colors of the site's header.
  hideDarkModeToggle: true,
  persistAuth: false,
  authentication: {
    preferredSecurityScheme: 'accessToken',
    securitySchemes: { accessToken: { token } },
  },
})

const fail = () => {
  root.textContent = 'The reference could not be loaded. Load the page again.'
}

/** Gives accessible names to parts of the reference that have none, or a wrong one. */
const nameParts = () => {
  for (const button of root.querySelectorAll('button.group\\/copy-button:not([aria-label])')) {
    button.setAttribute('aria-label', 'Copy')
  }
  for (const button of root.querySelectorAll('button.show-more[aria-label]'))
    button.removeAttribute('aria-label')
  // On a phone, CSS hides the text of these links.
  for (const link of root.querySelectorAll('a:has(> svg):not([aria-label])')) {
    const name = link.textContent?.trim()
    if (name) link.setAttribute('aria-label', name)
  }
  // A page may have only one banner, which is the site's header.
  for (const header of root.querySelectorAll('header:not([role])')) {
    header.setAttribute('role', 'group')
    header.parentElement?.setAttribute('role', 'region')
    header.parentElement?.setAttribute('aria-label', 'Menu of the reference')
  }
  for (const section of root.querySelectorAll('section.contents[aria-labelledby]')) {
    section.removeAttribute('aria-labelledby')
    section.setAttribute('aria-label', 'Credentials')
  }
}

const load = async () => {
  const script = document.createElement('script')
  script.src = source ?? ''
  const loaded = new Promise((resolve, reject) => {
    script.addEventListener('load', resolve)
    script.addEventListener('error', reject)
  })
  document.head.append(script)
  const answer = await fetch('/openapi.json', { headers: { Authorization: `Bearer ${token}` } })
  const content = fit(await answer.json())
  await loaded
  const { Scalar } = /** @type {{ Scalar?: { createApiReference(root: Element, how: object): void } }} */ (
    /** @type {unknown} */ (window)
  )
  root.replaceChildren()
  Scalar?.createApiReference(root, configure(content))
  new MutationObserver(nameParts).observe(root, { childList: true, subtree: true })
  nameParts()
}

load().catch(fail)
