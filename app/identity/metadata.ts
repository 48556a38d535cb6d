import { jsonType } from '../http/formats.ts'
import { assertionAlgorithms } from './client-keys.ts'

/** RFC 9727, section 5.1. */
export const apiCatalogType = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

const clientAuthentication = (endpoint: string) => ({
  [`${endpoint}_auth_methods_supported`]: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
  [`${endpoint}_auth_signing_alg_values_supported`]: assertionAlgorithms,
})

/** RFC 8414. */
export const authorizationServerMetadata = (publicUrl: string, scopes: readonly string[]) => ({
  issuer: publicUrl,
  token_endpoint: `${publicUrl}/v1/oauth/token`,
  ...clientAuthentication('token_endpoint'),
  revocation_endpoint: `${publicUrl}/v1/oauth/revoke`,
  ...clientAuthentication('revocation_endpoint'),
  introspection_endpoint: `${publicUrl}/v1/oauth/introspect`,
  ...clientAuthentication('introspection_endpoint'),
  jwks_uri: `${publicUrl}/.well-known/jwks.json`,
  scopes_supported: scopes,
  // Clients refuse an empty list, and `none` is the registered value.
  response_types_supported: ['none'],
  grant_types_supported: ['client_credentials'],
  service_documentation: `${publicUrl}/docs`,
})

/** RFC 9728. */
export const protectedResourceMetadata = (publicUrl: string, scopes: readonly string[]) => ({
  resource: publicUrl,
  authorization_servers: [publicUrl],
  scopes_supported: scopes,
  bearer_methods_supported: ['header'],
  resource_name: 'Certification Data API',
  resource_documentation: `${publicUrl}/docs`,
})

/** RFC 9727, with the link relations of RFC 8631. */
export const apiCatalog = (publicUrl: string) => ({
  linkset: [
    {
      anchor: `${publicUrl}/v1`,
      'service-desc': [{ href: `${publicUrl}/openapi.json`, type: jsonType }],
      'service-doc': [{ href: `${publicUrl}/docs`, type: 'text/html' }],
      'service-meta': [{ href: `${publicUrl}/.well-known/oauth-protected-resource`, type: jsonType }],
      status: [{ href: `${publicUrl}/status`, type: 'text/html' }],
    },
  ],
})
