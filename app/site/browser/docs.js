import { find } from './ui.js'

/** Starts the reference with the demo token filled in. Its program is a classic script that sets a global. */

const root = find('#reference', HTMLElement)
const { token, script: source } = root.dataset

/**
 * The reference puts every parameter with an example, a default or an enum into the request that it sends: a hundred
 * filters at once. Of parameters that may be left out these become words.
 * @param {Record<string, any>} document
 */
const fit = (document) => {
  const inline = Object.values(document.paths).flatMap((item) =>
    Object.values(/** @type {Record<string, any>} */ (item)).flatMap(
      (operation) => operation.parameters ?? [],
    ),
  )
  for (const parameter of [...inline, ...Object.values(document.components.parameters ?? {})]) {
    if (parameter.required || parameter.$ref !== undefined) continue
    const { example, schema } = parameter
    const { enum: values, default: fallback, ...rest } = schema ?? {}
    const words = [
      ...(values === undefined ? [] : [`One of: ${values.join(', ')}.`]),
      ...(fallback === undefined ? [] : [`Default: \`${fallback}\`.`]),
      ...(example === undefined ? [] : [`Example: \`${example}\`.`]),
    ]
    parameter.description = [parameter.description, ...words].join(' ')
    parameter.schema = rest
    delete parameter.example
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
  showDeveloperTools: 'never',
  persistAuth: false,
  authentication: {
    preferredSecurityScheme: 'accessToken',
    securitySchemes: { accessToken: { token } },
  },
})

const fail = () => {
  root.textContent = 'The reference could not be loaded. Load the page again.'
}

/** Gives names to buttons, links and landmarks of the reference that have none, or a wrong one. */
const nameParts = () => {
  for (const button of root.querySelectorAll('button.group\\/copy-button:not([aria-label])')) {
    button.setAttribute('aria-label', 'Copy')
  }
  for (const button of root.querySelectorAll('button.show-more[aria-label]'))
    button.removeAttribute('aria-label')
  // On a phone their text is hidden, and the picture beside it has no name.
  for (const link of root.querySelectorAll('a:has(> svg):not([aria-label])')) {
    const name = link.textContent?.trim()
    if (name) link.setAttribute('aria-label', name)
  }
  // The page has a header already.
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
  Scalar?.createApiReference(root, configure(content))
  new MutationObserver(nameParts).observe(root, { childList: true, subtree: true })
  nameParts()
}

load().catch(fail)
