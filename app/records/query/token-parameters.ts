/** Clients send tokens and keys under these names by mistake. Refused, because addresses are logged. */
export const tokenParameters: readonly string[] = [
  'access_token',
  'token',
  'api_key',
  'apikey',
  'client_secret',
]
