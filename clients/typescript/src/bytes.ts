/** Bytes in the type that WebCrypto requires. */
export type Bytes = Uint8Array<ArrayBuffer>

export const utf8 = (text: string): Bytes => new TextEncoder().encode(text)

export const joinBytes = (...parts: readonly Uint8Array[]): Bytes => {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}

/** Reads base64 or base64url, with or without padding. Returns undefined if the text is neither. */
export const fromBase64 = (text: string): Bytes | undefined => {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    return Uint8Array.from(binary, (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

export const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

export const toBase64Url = (bytes: Uint8Array): string =>
  toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

/** A public key of Ed25519 (RFC 8037). Other members are ignored. */
export type Ed25519Key = Readonly<{ kty: string; crv: string; x: string }>

/** Whether this key signed these bytes. Never rejects: the result is false for a key of another kind. */
export const isSignedBy = async (
  { kty, crv, x }: Ed25519Key,
  signature: Bytes,
  signed: Bytes,
): Promise<boolean> => {
  try {
    const key = await crypto.subtle.importKey('jwk', { kty, crv, x }, 'Ed25519', false, ['verify'])
    return await crypto.subtle.verify('Ed25519', key, signature, signed)
  } catch {
    return false
  }
}
