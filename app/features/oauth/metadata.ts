import { assertionAlgorithms } from './client-keys.ts'

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
