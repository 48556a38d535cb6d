import { createPrivateKey, createPublicKey, hash, sign } from 'node:crypto'
import { canonicalJson } from '../../../app/audit/canonical.ts'
import { buildTree, getProofPath, getRoot, leafHash } from '../../../app/audit/merkle.ts'
import { hashStatement, type RootSigner, signStatement } from '../../../app/audit/statement.ts'
import type { Vector } from './write.ts'

const sha256 = (text: string) => hash('sha256', text, 'buffer')

/** Derives a constant key from its name (RFC 8410, section 7). */
const getSigner = (kid: string): RootSigner => {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), sha256(`key ${kid}`)])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' })
  const privatePem = key.export({ type: 'pkcs8', format: 'pem' }).toString()
  return { kid, privatePem, jwk: { kty: 'OKP', crv: 'Ed25519', x, kid } }
}
const [present, former, stranger] = ['present', 'former', 'stranger'].map(getSigner) as [
  RootSigner,
  RootSigner,
  RootSigner,
]

type Entry = {
  id: string
  entry: Record<string, unknown> & { number: number }
  proof: { root: number; index: number; salt: string; path: string[] }
}
type Root = { id: string; at: string; statement: string; key: RootSigner['jwk'] }
type Files = { entries: Entry[]; roots: Root[]; keys: RootSigner['jwk'][]; after?: Record<string, unknown> }

const listFacts = (number: number, more: object = {}) => ({
  ...{
    action: 'reads',
    actor: 'key',
    at: `2026-11-26T09:0${number % 10}:00.000000Z`,
    client: null,
    customer: 'acme',
  },
  details: {
    count: number,
    minute: '2026-11-26T09:00Z',
    query: null,
    resource: 'products',
    rows: 9,
    status: 200,
  },
  ...{ key: '4f1c2a9b', number, outcome: 'ok', request_id: null, subject: null },
  ...more,
})
const getSalt = (number: number, bytes = 16) => sha256(`salt ${number}`).subarray(0, bytes)

type Minute = {
  /** Entry numbers in this tree, by position. null for a leaf of another customer. */
  places: (number | null)[]
  signer?: RootSigner
  saltBytes?: number
  more?: object
}

/** Creates the files of some minutes as the service does: the newest first. */
const makeFiles = async (minutes: readonly Minute[], keys = [present]): Promise<Files> => {
  const files: Files = { entries: [], roots: [], keys: keys.map(({ jwk }) => jwk) }
  let previous: string | null = null
  for (const [i, { places, signer = present, saltBytes, more }] of minutes.entries()) {
    const [number, instant] = [i + 1, `2026-11-26T09:0${i}:30.000000Z`]
    const leaves = places.map((each, place) =>
      each === null
        ? sha256(`leaf ${number} ${place}`)
        : leafHash(getSalt(each, saltBytes), canonicalJson(listFacts(each, more))),
    )
    const tree = await buildTree(leaves)
    for (const [index, each] of places.entries()) {
      if (each === null) continue
      const path = getProofPath(tree, index).map((one) => one.toString('base64url'))
      const proof = { root: number, index, salt: getSalt(each, saltBytes).toString('base64url'), path }
      files.entries.push({ id: String(each), entry: listFacts(each, more), proof })
    }
    const root = getRoot(tree).toString('base64url')
    const head = sha256(`head ${number}`).toString('base64url')
    const statement = signStatement(signer, {
      number,
      at: instant,
      root,
      size: leaves.length,
      head,
      previous,
    })
    previous = hashStatement(statement).toString('base64url')
    files.roots.unshift({ id: String(number), at: instant, statement, key: signer.jwk })
  }
  files.entries.sort((a, b) => b.entry.number - a.entry.number)
  return files
}

const digest = ({ roots }: Files, number: number) =>
  hashStatement(roots.find(({ id }) => id === String(number))?.statement ?? '').toString('base64url')
const positionAt = (files: Files, root: number, entry: number) => ({
  root,
  digest: digest(files, root),
  entry,
})

/** The default files: three minutes, five entries of this customer. */
const usual = () =>
  makeFiles([
    { places: [1] },
    { places: [null, 3, 2, null] },
    { places: [null, null, null, 4, null, 5, null, null] },
  ])
const getEntry = ({ entries }: Files, number: number) =>
  entries.find(({ entry }) => entry.number === number) as Entry
const rootAt = ({ roots }: Files, number: number) => roots.find(({ id }) => id === String(number)) as Root
const without = <T>(list: readonly T[], item: T) => list.filter((each) => each !== item)

/** The same statement under another header, with a valid signature. */
const resign = (root: Root, { jwk, privatePem }: RootSigner, header: object = {}) => {
  const [, payload] = root.statement.split('.')
  const head = Buffer.from(
    JSON.stringify({ alg: 'EdDSA', typ: 'audit-root+jws', kid: jwk.kid, ...header }),
  ).toString('base64url')
  const signature = sign(null, Buffer.from(`${head}.${payload}`), privatePem).toString('base64url')
  return { statement: `${head}.${payload}.${signature}`, key: jwk }
}

const proven = async (
  name: string,
  files: Files,
  [root, entry]: [number, number] | [] = [],
): Promise<Vector> => {
  const position =
    root === undefined ? (files.after ?? null) : positionAt(await usual(), root, entry as number)
  return { name, ...files, outcome: { entries: files.entries.length, roots: files.roots.length, position } }
}
const wrong = async (name: string, reason: string, change: (files: Files) => unknown): Promise<Vector> => {
  const files = await usual()
  change(files)
  return { name, ...files, reason }
}
const wrongProof = (name: string, change: (entry: Entry, files: Files) => unknown) =>
  wrong(name, 'wrong_proof', (files) => change(getEntry(files, 4), files))

const withPosition = async (name: string, minutes: readonly Minute[], entry: number, keys?: RootSigner[]) => {
  const files = await makeFiles(minutes, keys)
  const position = positionAt(files, minutes.length, entry)
  return { name, ...files, outcome: { entries: files.entries.length, roots: files.roots.length, position } }
}

/** The default files after the first minute was checked. */
const later = async () => {
  const files = await usual()
  const after = positionAt(files, 1, 1)
  return { ...files, entries: files.entries.slice(0, -1), roots: files.roots.slice(0, -1), after }
}

/** Vectors for checks of the audit trail: valid files, and the reasons to refuse others. */
export const listProofVectors = async (): Promise<Vector[]> => [
  await proven('three minutes', await usual(), [3, 5]),
  await withPosition('an entry alone in its tree', [{ places: [1] }], 1),
  await withPosition(
    'texts beyond ASCII, control characters, and members in another order',
    [
      {
        places: [1, null],
        more: {
          subject: 'Übung "1"\n\u0007\\ \u{1d11e}',
          zz: [],
          aa: { é: 1, b: null, '\ue000': 2, '\u{1d11e}': 3 },
        },
      },
    ],
    1,
  ),
  await withPosition(
    'a former key on an older root',
    [{ places: [1], signer: former }, { places: [2], signer: former }, { places: [3] }],
    3,
  ),
  await proven('nothing yet', { entries: [], roots: [], keys: [present.jwk] }),
  await proven('roots alone', { ...(await usual()), entries: [] }),
  await proven('what came after the last check', await later(), [3, 5]),
  await proven('no entry after the last check', { ...(await later()), entries: [] }),
  await wrongProof('a wrong sibling', ({ proof }, files) => {
    proof.path[1] = getEntry(files, 5).proof.path[0] as string
  }),
  await wrongProof('a sibling too few', ({ proof }) => proof.path.pop()),
  await wrongProof('a sibling too many', ({ proof }) => proof.path.push(proof.path[0] as string)),
  await wrongProof('a sibling that is no hash', ({ proof }) => {
    proof.path[0] = '!'
  }),
  await wrongProof('another place', ({ proof }) => {
    proof.index = 2
  }),
  await wrongProof('a place beyond the tree', ({ proof }) => {
    proof.index += 8
  }),
  await wrongProof('another leaf: an entry that was changed', ({ entry }) => {
    entry.outcome = 'refused'
  }),
  await wrongProof('another leaf: a detail that was removed', ({ entry }) => {
    delete (entry.details as Record<string, unknown>).rows
  }),
  await wrongProof('the salt of another entry', ({ proof }, files) => {
    proof.salt = getEntry(files, 5).proof.salt
  }),
  {
    ...(await withPosition('a salt of 15 bytes', [{ places: [1], saltBytes: 15 }], 1)),
    outcome: undefined,
    reason: 'wrong_proof',
  },
  await wrongProof('another root', ({ proof }) => {
    proof.root = 2
  }),
  await wrong('a root that is not there', 'unknown_root', (files) => {
    getEntry(files, 5).proof.root = 4
  }),
  await wrong('the signature of another root', 'wrong_signature', (files) => {
    const [signature] = rootAt(files, 2).statement.split('.').slice(-1)
    const newest = rootAt(files, 3)
    newest.statement = newest.statement.replace(/[^.]+$/, signature as string)
  }),
  await wrong('a root that somebody else signed', 'unknown_key', (files) =>
    Object.assign(rootAt(files, 3), resign(rootAt(files, 3), stranger)),
  ),
  await wrong('an older root that somebody else signed', 'broken_chain', (files) =>
    Object.assign(rootAt(files, 2), resign(rootAt(files, 2), stranger)),
  ),
  await wrong('a former key on the newest root', 'unknown_key', (files) =>
    Object.assign(rootAt(files, 3), resign(rootAt(files, 3), former)),
  ),
  await wrong('the name of our key on the signature of another', 'wrong_signature', (files) =>
    Object.assign(rootAt(files, 3), resign(rootAt(files, 3), stranger, { kid: 'present' })),
  ),
  await wrong('a token in place of a statement', 'malformed_statement', (files) =>
    Object.assign(rootAt(files, 3), resign(rootAt(files, 3), present, { typ: 'at+jwt' })),
  ),
  await wrong('a statement without signature', 'malformed_statement', (files) =>
    Object.assign(rootAt(files, 3), resign(rootAt(files, 3), present, { alg: 'none' })),
  ),
  await wrong('a statement that is no JWS', 'malformed_statement', (files) => {
    rootAt(files, 3).statement = 'hello'
  }),
  await wrong('a root that was left out', 'broken_chain', (files) => {
    files.roots = without(files.roots, rootAt(files, 2))
  }),
  await wrong('roots in the wrong order', 'broken_chain', ({ roots }) => roots.reverse()),
  await wrong('an entry that was left out', 'missing_entry', (files) => {
    files.entries = without(files.entries, getEntry(files, 3))
  }),
  await wrong('an entry that comes twice', 'missing_entry', (files) =>
    files.entries.splice(2, 0, getEntry(files, 3)),
  ),
  {
    ...{ name: 'roots that do not follow the last check', ...(await later()) },
    after: { ...(await later()).after, digest: digest(await usual(), 2) },
    reason: 'broken_chain',
  },
  {
    ...{ name: 'an entry that is missing since the last check', ...(await later()) },
    entries: (await later()).entries.slice(0, -1),
    reason: 'missing_entry',
  },
]
