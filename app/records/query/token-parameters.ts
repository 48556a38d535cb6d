/** Names under which tokens and keys are sent by mistake: in an address they are logged, so there they are refused. */
export const tokenParameters: readonly string[] = [
  'access_token',
  'token',
  'api_key',
  'apikey',
  'client_secret',
]
