const prime = 2n ** 255n - 19n
/** The y of the points of order 1, 2, 4 and 8 (RFC 8032, section 5.1). */
const yOfOrder8 = 2707385501144840649318225287225658788936804267575313519463743609750303402022n
const weak = [1n, prime - 1n, 0n, yOfOrder8, prime - yOfOrder8]

/** False for the 32 bytes of a point of small order. With such a key, any client can compute signatures. */
export const isStrongEd25519 = (bytes: Buffer): boolean => {
  const y = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`) & (2n ** 255n - 1n)
  return !weak.includes(y % prime)
}
