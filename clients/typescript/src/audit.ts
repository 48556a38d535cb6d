import { type Ed25519Key, fromBase64, isSignedBy, sha256, toBase64Url, utf8 } from './bytes.ts'
import { ReasonError } from './reason-error.ts'
import type { AuditEntry, AuditRoot } from './types.ts'

type Many<T> = Iterable<T> | AsyncIterable<T>

/** A key of `/.well-known/jwks.json`. */
export type AuditKey = Ed25519Key & Readonly<{ kid: string }>

/** The end of a check. Store it for the next check, with `after_root` as its `root`. */
export type AuditPosition = Readonly<{
  /** The number of the root of the newest entry. */
  root: number
  /** The hash of the statement of that root. */
  digest: string
  /** The number of the newest entry. */
  entry: number
}>

export type AuditReason =
  | 'malformed_statement'
  | 'unknown_key'
  | 'wrong_signature'
  | 'broken_chain'
  | 'unknown_root'
  | 'wrong_proof'
  | 'missing_entry'

/** The audit trail is invalid: it was changed, or the files do not belong together. */
export class AuditError extends ReasonError<AuditReason> {
  override readonly name = 'AuditError'
}

/** A signed root: its hash, and the hash of its statement. */
export type VerifiedRoot = Readonly<{ root: string; digest: string }>
type Statement = Readonly<{ number: number; root: string; previous: string }>

const decodePart = (part: string) => {
  try {
    const bytes = fromBase64(part)
    return bytes && JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}

/** Returns the payload of a statement (JWS, RFC 7515) if one of the keys signed it. */
const openStatement = async (
  { id, statement }: AuditRoot,
  findKey: (kid: string) => AuditKey | undefined,
): Promise<Statement> => {
  const [header = '', payload = '', signature = ''] = statement.split('.')
  const [head, said] = [decodePart(header), decodePart(payload)]
  if (head?.alg !== 'EdDSA' || head.typ !== 'audit-root+jws' || !said) {
    throw new AuditError(
      'malformed_statement',
      `The statement of root ${id} is not a JWS of the type audit-root+jws`,
    )
  }
  const key = findKey(head.kid)
  if (!key) throw new AuditError('unknown_key', `Root ${id} has an unknown key`)
  const bytes = fromBase64(signature)
  if (!bytes || !(await isSignedBy(key, bytes, utf8(`${header}.${payload}`)))) {
    throw new AuditError('wrong_signature', `Root ${id} has a wrong signature`)
  }
  return said
}

/**
 * Checks signed roots, the newest first and without gaps, and returns them by number. The newest root needs
 * one of `keys`. Older roots may use previous keys, because the next newer root names them. Rejects with an
 * AuditError for the first invalid root.
 */
export const verifyAuditRoots = async (
  roots: Many<AuditRoot>,
  keys: readonly AuditKey[],
  after?: AuditPosition,
): Promise<Map<number, VerifiedRoot>> => {
  const verified = new Map<number, VerifiedRoot>()
  let newer: Statement | undefined
  for await (const each of roots) {
    const digest = toBase64Url(await sha256(utf8(each.statement)))
    if (newer && newer.previous !== digest) {
      throw new AuditError('broken_chain', `Root ${each.id} is not the one before root ${newer.number}`)
    }
    const former = newer && each.key
    newer = await openStatement(each, (kid) => keys.find((key) => key.kid === kid) ?? former)
    verified.set(newer.number, { root: newer.root, digest })
  }
  if (after && newer && newer.previous !== after.digest) {
    throw new AuditError(
      'broken_chain',
      `Root ${newer.number} does not follow root ${after.root} of the last check`,
    )
  }
  return verified
}

/** RFC 8785: sorted names, no white space. */
const canonical = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical)}]`
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`)}}`
}

const saltBytes = 16
const [leaf, node] = [Uint8Array.of(0), Uint8Array.of(1)]

/**
 * Returns the root hash of a proof (RFC 6962). `undefined` if a tree with this path does not have this
 * position.
 */
const readRoot = async ({ entry, proof }: AuditEntry): Promise<string | undefined> => {
  const [salt, ...path] = [proof.salt, ...proof.path].map(fromBase64)
  if (salt?.length !== saltBytes) return undefined
  let hash = await sha256(leaf, salt, utf8(canonical(entry)))
  let place = proof.index
  for (const sibling of path) {
    if (!sibling) return undefined
    hash = await (place % 2 === 1 ? sha256(node, sibling, hash) : sha256(node, hash, sibling))
    place = Math.floor(place / 2)
  }
  return place === 0 ? toBase64Url(hash) : undefined
}

/** Checks that an entry belongs to its signed root. Rejects with an AuditError if not. */
export const verifyAuditEntry = async (
  entry: AuditEntry,
  roots: ReadonlyMap<number, VerifiedRoot>,
): Promise<void> => {
  const known = roots.get(entry.proof.root)
  if (!known) {
    throw new AuditError(
      'unknown_root',
      `Entry ${entry.entry.number} names root ${entry.proof.root}, which is not here: read the roots after the entries`,
    )
  }
  if ((await readRoot(entry)) !== known.root) {
    throw new AuditError(
      'wrong_proof',
      `Entry ${entry.entry.number} does not lead to root ${entry.proof.root}`,
    )
  }
}

export type AuditFiles = Readonly<{
  /** All entries since the last check, the newest first. Without filters. */
  entries: Many<AuditEntry>
  /** All roots since the last check, the newest first. Read them after the entries. */
  roots: Many<AuditRoot>
  /** The array `keys` of `/.well-known/jwks.json`. */
  keys: readonly AuditKey[]
  /** The end of the last check. Leave it out in the first check. */
  after?: AuditPosition | undefined
}>

/** Number of valid entries and roots. `position` is for the next check. `undefined` if there are no entries yet. */
export type AuditOutcome = { entries: number; roots: number; position: AuditPosition | undefined }

/**
 * Checks signatures and chain of the roots, the proof of every entry, and that no entry is missing. Rejects
 * with an AuditError that names the first invalid entry or root.
 */
export const verifyAudit = async ({ entries, roots, keys, after }: AuditFiles): Promise<AuditOutcome> => {
  const verified = await verifyAuditRoots(roots, keys, after)
  let position = after
  let last: number | undefined
  let count = 0
  for await (const each of entries) {
    await verifyAuditEntry(each, verified)
    const { number } = each.entry
    requireNext(number, last)
    const { digest } = verified.get(each.proof.root) as VerifiedRoot
    if (count === 0) position = { root: each.proof.root, digest, entry: number }
    last = number
    count += 1
  }
  if (after && last !== undefined) requireNext(after.entry, last)
  return { entries: count, roots: verified.size, position }
}

/** Requires that numbers decrease by one. */
const requireNext = (number: number, last: number | undefined): void => {
  if (last === undefined || number === last - 1) return
  throw new AuditError(
    'missing_entry',
    `Entry ${last - 1} is missing: entry ${number} comes after entry ${last}`,
  )
}
