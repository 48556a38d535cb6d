/** Names under which clients send credentials by mistake. Refused, because addresses are logged. */
export const tokenParameters: readonly string[] = [
  'access_token',
  'token',
  'api_key',
  'apikey',
  'client_secret',
]
