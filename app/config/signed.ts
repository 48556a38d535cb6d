import type { Secrets } from './secrets.ts'

export type Mac = Pick<Secrets, 'mac' | 'verifyMac'>

type SignedText = {
  sign(customerId: string, payload: Buffer): string
  /** Returns the payload. `undefined` if the text was not signed for this customer, purpose and version. */
  open(customerId: string, text: string): Buffer | undefined
}

const macBytes = 16

const signedPart = (customerId: string, body: Buffer) => Buffer.concat([Buffer.from(`${customerId}\0`), body])

/** Signs texts without encryption: version, payload, MAC; base64url. Valid while SECRET_KEY has their key. */
export const createSignedText = (secrets: Mac, purpose: string, version: number): SignedText => ({
  sign(customerId, payload) {
    const body = Buffer.concat([Buffer.of(version), payload])
    const mac = secrets.mac(purpose, signedPart(customerId, body)).subarray(0, macBytes)
    return Buffer.concat([body, mac]).toString('base64url')
  },
  open(customerId, text) {
    const bytes = Buffer.from(text, 'base64url')
    // Decoding skips invalid characters, so accept only the canonical text.
    if (bytes.length <= macBytes || bytes.toString('base64url') !== text) return undefined
    const body = bytes.subarray(0, -macBytes)
    const isOurs = secrets.verifyMac(purpose, signedPart(customerId, body), bytes.subarray(-macBytes))
    return isOurs && body[0] === version ? body.subarray(1) : undefined
  },
})
