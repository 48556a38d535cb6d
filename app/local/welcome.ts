import type { Config } from '../config/config.ts'

/** A step for the customer of a start with the bundled database, such as `Give it records`. */
export type FirstStep = Readonly<{ purpose: string; command: string }>

type Greeting = Readonly<{
  config: Pick<Config, 'demoToken' | 'tls' | 'secretKeys' | 'publicUrl'>
  publicUrl: string
  local: Readonly<{ apiKey: string; directory: string; keyFile: string }>
  steps: readonly FirstStep[]
}>

/** Whether only this machine uses the service. Otherwise its output may be a log that other people read. */
const isTrial = ({ tls, secretKeys, publicUrl }: Greeting['config']): boolean =>
  tls === undefined && secretKeys === undefined && publicUrl === undefined

const describeKey = (publicUrl: string, apiKey: string, steps: readonly FirstStep[]): string =>
  `A customer of your own ("local", plan premium) with this API key:
  ${apiKey}
Log in with it:
  curl -s ${publicUrl}/v1/auth/login -H 'Content-Type: application/json' -d '{"api_key":"${apiKey}"}'
${steps.map(({ purpose, command }) => `${purpose}:\n  ${command}\n`).join('')}`

/** Formats the greeting of a start with the bundled database. `steps` follow the login. Shows the key in a trial only. */
export const welcome = ({ config, publicUrl, local, steps }: Greeting): string => `
Certification Data API   ${publicUrl}
Data folder (DATA_DIR)   ${local.directory}

Try the example data:
  curl -g '${publicUrl}/v1/certificates?expiring=true&valid_until[lt]=today+60d&limit=2' -H 'Authorization: Bearer ${config.demoToken}'

${
  isTrial(config)
    ? describeKey(publicUrl, local.apiKey, steps)
    : `The API key of a customer of your own ("local", plan premium) is in ${local.keyFile}\n`
}`
