import t from 'tap'
import { parseConfig } from '../../app/config/config.ts'
import { welcome } from '../../app/local/welcome.ts'

const local = { apiKey: 'cda_live_secret', directory: '/data', keyFile: '/data/local-customer.key' }
const greet = (env: Record<string, string>) =>
  welcome({ config: parseConfig(env), publicUrl: 'https://api.example', local, steps: [] })

t.test('the key of the local customer is printed only if nothing was set up for other people', async (t) => {
  t.match(greet({}), local.apiKey)
  for (const env of [
    { TLS_CERT: 'cert.pem', TLS_KEY: 'key.pem' },
    { SECRET_KEY: 's'.repeat(40) },
    { PUBLIC_URL: 'https://api.example' },
  ]) {
    t.notMatch(greet(env), local.apiKey, Object.keys(env).join())
    t.match(greet(env), local.keyFile)
  }
})
