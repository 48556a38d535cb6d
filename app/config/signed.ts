/** What is needed of the secrets: macs under a key for one purpose only. */
export type Mac = {
  mac(purpose: string, data: Buffer): Buffer
  verifyMac(purpose: string, data: Buffer, mac: Buffer): boolean
}

type SignedText = {
  /** Opaque text of the payload, good for this customer only. */
  sign(customerId: string, payload: Buffer): string
  /** The payload; undefined where we did not make this text for this customer, or another version did. */
  open(customerId: string, text: string): Buffer | undefined
}

const macBytes = 16

const signedPart = (customerId: string, body: Buffer) => Buffer.concat([Buffer.from(`${customerId}\0`), body])

/**
 * State that clients carry for us: version, payload, mac over these and the customer; base64url. Good as long
 * as the key that made it still checks.
 */
export const createSignedText = (secrets: Mac, purpose: string, version: number): SignedText => ({
  sign(customerId, payload) {
    const body = Buffer.concat([Buffer.of(version), payload])
    const mac = secrets.mac(purpose, signedPart(customerId, body)).subarray(0, macBytes)
    return Buffer.concat([body, mac]).toString('base64url')
  },
  open(customerId, text) {
    const bytes = Buffer.from(text, 'base64url')
    // Decoding skips what is not base64url: only the canonical text is what we made.
    if (bytes.length <= macBytes || bytes.toString('base64url') !== text) return undefined
    const body = bytes.subarray(0, -macBytes)
    const isOurs = secrets.verifyMac(purpose, signedPart(customerId, body), bytes.subarray(-macBytes))
    return isOurs && body[0] === version ? body.subarray(1) : undefined
  },
})
