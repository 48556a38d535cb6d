import type { ColumnType, Generated, Kysely } from 'kysely'

/** Some tables; raw SQL also uses others. Dates and instants are PostgreSQL's text. */
export type Database = {
  customers: {
    customer_id: string
    name: string
    plan: Generated<Plan>
    suspended_at: string | null
    expiring_within: Generated<number>
    created_at: Generated<string>
  }
  api_keys: {
    customer_id: string
    key_id: string
    secret_sha256: Buffer
    scopes: string[] | null
    expires_at: ColumnType<string | null, string | null | undefined>
    revoked_at: ColumnType<string | null, string | null | undefined>
    last_used_on: ColumnType<string | null, string | null | undefined>
    replaced_by: ColumnType<string | null, string | null | undefined>
    networks: ColumnType<string[] | null, string[] | null | undefined>
    /** A JSON Web Key Set, written as text. */
    client_jwks: ColumnType<
      { keys: Record<string, string>[] } | null,
      string | null | undefined,
      string | null
    >
    name: ColumnType<string | null, string | null | undefined>
    replaces: ColumnType<string | null, string | null | undefined>
    created_at: Generated<string>
  }
  signing_keys: {
    kid: string
    state: 'next' | 'active' | 'retiring'
    public_jwk: ColumnType<Record<string, string>, string, string>
    encrypted_private_key: Buffer
    activated_at: ColumnType<string | null, string | null | undefined>
    retired_at: ColumnType<string | null, string | null | undefined>
    tokens_until: ColumnType<string | null, string | null | undefined>
    created_at: Generated<string>
  }
  revoked_tokens: {
    customer_id: string
    key_id: string
    jti: string
    expires_at: string
    revoked_at: Generated<string>
  }
  custom_endpoints: { name: string; to_everyone: Generated<boolean> }
  custom_documents: {
    name: string
    revision: number
    document: string
    applied_at: Generated<string>
    superseded_at: ColumnType<string | null, string | null | undefined>
  }
  custom_grants: { customer_id: string; name: string; granted: boolean; changed_at: Generated<string> }
  reference_data: { name: string; digest: string; loaded_at: Generated<string> }
}

export type Plan = 'basic' | 'premium' | 'enterprise'

export type Db = Kysely<Database>
