/** A step for the customer of a start with the bundled database, such as `Give it records`. */
export type FirstStep = Readonly<{ purpose: string; command: string }>

type Local = { apiKey: string; directory: string }

/** Formats the greeting of a start with the bundled database. `steps` follow the login. */
export const welcome = (
  publicUrl: string,
  demoToken: string,
  { apiKey, directory }: Local,
  steps: readonly FirstStep[],
): string => `
Certification Data API   ${publicUrl}
Data folder (DATA_DIR)   ${directory}

Try the example data:
  curl -g '${publicUrl}/v1/certificates?expiring=true&valid_until[lt]=today+60d&limit=2' -H 'Authorization: Bearer ${demoToken}'

A customer of your own ("local", plan premium) with this API key:
  ${apiKey}
Log in with it:
  curl -s ${publicUrl}/v1/auth/login -H 'Content-Type: application/json' -d '{"api_key":"${apiKey}"}'
${steps.map(({ purpose, command }) => `${purpose}:\n  ${command}\n`).join('')}`
