import type { Feature } from '../../feature.ts'

/** Logins by client credentials or by a signature, introspection and revocation, at `/v1/oauth/`, and metadata. */
export const oauth: Feature = {
  name: 'oauth',
  commands: { keys: () => import('./commands.ts') },
  metadataPaths: ['/.well-known/oauth-protected-resource'],
  customerTables: {
    used_assertions: {
      exported: ['customer_id', 'key_id', 'expires_at'],
      proofs: ['jti_sha256'],
      internal: [],
    },
  },
  verifyFolder: new URL('./verify/', import.meta.url),
}
