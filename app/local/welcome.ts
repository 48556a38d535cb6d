type Local = { apiKey: string; directory: string }

/** Formats the greeting of a start with the bundled database. */
export const welcome = (publicUrl: string, demoToken: string, { apiKey, directory }: Local): string => `
Certification Data API   ${publicUrl}
Data folder (DATA_DIR)   ${directory}

Try the example data:
  curl -g '${publicUrl}/v1/certificates?expiring=true&valid_until[lt]=today+60d&limit=2' -H 'Authorization: Bearer ${demoToken}'

A customer of your own ("local", plan premium) with this API key:
  ${apiKey}
Log in with it:
  curl -s ${publicUrl}/v1/auth/login -H 'Content-Type: application/json' -d '{"api_key":"${apiKey}"}'
Give it records:
  npx --no certdata import examples/records.ndjson --customer local
`
