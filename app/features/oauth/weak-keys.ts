const prime = 2n ** 255n - 19n
/** RFC 8032, section 5.1: −121665/121666. */
const d = 37095705934669439343138083508754565189542113879843219016388785533085940283555n
/** Points of order 1, 2 and 4 have y = 1, −1 and 0. */
const yOfOrder8 = 2707385501144840649318225287225658788936804267575313519463743609750303402022n
/** NIST SP 800-89, section 5.3.3. */
const smallFactors = 752n

const power = (base: bigint, exponent: bigint): bigint => {
  let result = 1n
  for (let [square, rest] = [base % prime, exponent]; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % prime
    square = (square * square) % prime
  }
  return result
}

/** False for bytes that are not a point of the curve, and for points of small order, which accept forged signatures. */
export const isStrongEd25519 = (bytes: Buffer): boolean => {
  const y = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`) & (2n ** 255n - 1n)
  if (y >= prime || [0n, 1n, prime - 1n, yOfOrder8, prime - yOfOrder8].includes(y)) return false
  // x² = (y² − 1) / (dy² + 1) has a root (Euler's criterion).
  return power((y * y - 1n) * (d * y * y + 1n), (prime - 1n) / 2n) === 1n
}

/** False if an integer from 2 to 751 divides the modulus. */
export const isStrongModulus = (modulus: Buffer): boolean => {
  const n = BigInt(`0x${modulus.toString('hex')}`)
  for (let factor = 2n; factor < smallFactors; factor++) if (n % factor === 0n) return false
  return true
}
