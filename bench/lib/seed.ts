import pg from 'pg'
import { createSecrets } from '../../app/config/secrets.ts'
import { createDb, createPool } from '../../app/db/connect.ts'
import { features } from '../../app/features.ts'
import { createApiKey } from '../../app/identity/api-keys.ts'
import { prepareDatabase } from '../../app/local/prepare.ts'

export const secretKey = 'a secret of the bench that is longer than thirty-two characters'

/** A customer with plan enterprise. */
export type Customer = { customerId: string; apiKey: string }

/** Migrates a database and adds a signing key. */
export const prepareSchema = async (url: string): Promise<void> => {
  const owner = createDb(
    createPool(url, { max: 1, applicationName: 'bench', onError: () => {}, statementTimeoutMs: 0 }),
  )
  await prepareDatabase(owner, createSecrets([secretKey]), { features })
  await owner.destroy()
}

const certificates = `
  insert into certificates (customer_id, id, number, title, approval_status, certificate_type, scheme, authority,
    country_code, product_id, valid_from, valid_until, issued_on, holder, standards, tags, validity_periods)
  select $1, 'crt-' || n, 'DE-' || lpad(n::text, 8, '0'), 'Radio module ' || n || ', type approval',
    (array['approved', 'approved', 'approved', 'conditional', 'pending', 'revoked'])[1 + n % 6], 'type_approval',
    (array['FCC ID', 'CE RED', 'Common Criteria'])[1 + n % 3], 'BNetzA', (array['DE', 'US', 'JP', 'BR'])[1 + n % 4],
    'prd-' || 1 + n % $3, current_date - 400 - n % 300, current_date + n % 900 - 60, current_date - 400 - n % 300,
    'Acme Wireless GmbH', array['EN 300 328', 'EN 301 489-1'], array['line-' || n % 7],
    array[(current_date - 400 - n % 300, current_date + n % 900 - 60, 'initial')::validity_period]
  from generate_series(1, $2) n`

const products = `
  insert into products (customer_id, id, name, model, brand, manufacturer)
  select $1, 'prd-' || n, 'Radio module ' || n, 'RM-' || n, 'Acme', 'Acme Wireless GmbH'
  from generate_series(1, $2) n`

/** The key never expires. */
export const issueKey = async (client: pg.Client, customerId: string): Promise<string> => {
  const { keyId, apiKey, secretSha256 } = createApiKey()
  const text = 'insert into api_keys (customer_id, key_id, secret_sha256) values ($1, $2, $3)'
  await client.query(text, [customerId, keyId, secretSha256])
  return apiKey
}

/** Each customer gets the same number of certificates and products, and a key that never expires. */
export const seedCustomers = async (
  url: string,
  names: readonly string[],
  certificatesEach: number,
): Promise<Customer[]> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const productsEach = Math.max(1, Math.floor(certificatesEach / 4))
  const made: Customer[] = []
  for (const customerId of names) {
    await client.query(`insert into customers (customer_id, name, plan) values ($1, $1, 'enterprise')`, [
      customerId,
    ])
    const apiKey = await issueKey(client, customerId)
    await client.query(products, [customerId, productsEach])
    await client.query(certificates, [customerId, certificatesEach, productsEach])
    made.push({ customerId, apiKey })
  }
  await client.query('vacuum analyze')
  await client.end()
  return made
}

export const logIn = async (base: string, { apiKey }: Customer): Promise<string> => {
  const answer = await fetch(`${base}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: apiKey }),
  })
  if (!answer.ok) throw new Error(`The login was refused: ${await answer.text()}`)
  return ((await answer.json()) as { access_token: string }).access_token
}
