import { find } from './ui.js'

/** Starts the reference with the demo token filled in. Its program is a classic script that sets a global. */

const root = find('#reference', HTMLElement)
const { token, script: source } = root.dataset

const configuration = {
  url: '/openapi.json',
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
}

const script = document.createElement('script')
script.src = source ?? ''
script.addEventListener('load', () => {
  const { Scalar } = /** @type {{ Scalar?: { createApiReference(root: Element, how: object): void } }} */ (
    /** @type {unknown} */ (window)
  )
  Scalar?.createApiReference(root, configuration)
})
script.addEventListener('error', () => {
  root.textContent = 'The reference could not be loaded. Load the page again.'
})
document.head.append(script)
