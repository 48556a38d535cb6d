import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Test } from 'tap'

type Answer = { a: string } | { aaaa: readonly number[] } | { cname: string }
/** `silent`: no answer. `garbage`: no DNS message. `isTruncated`: the whole answer only over TCP. */
export type Zone = Readonly<
  Record<string, { answers: readonly Answer[]; isTruncated?: true } | 'unknown' | 'silent' | 'garbage'>
>

const typeA = 1
const typeCname = 5
const typeAaaa = 28

const encodeName = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0]),
  ])

const readName = (query: Buffer): { name: string; end: number } => {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}

const encodeRecord = (owner: string, type: number, data: Buffer): Buffer => {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt32BE(0, 4)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([encodeName(owner), fixed, data])
}

/** RFC 1035, section 4. */
const answer = (query: Buffer, zone: Zone, isTcp: boolean): Buffer | undefined => {
  const { name, end } = readName(query)
  const type = query.readUInt16BE(end)
  const said = zone[name] ?? 'unknown'
  if (said === 'silent') return undefined
  if (said === 'garbage') return Buffer.from('no answer of a name server')
  const head = Buffer.from(query.subarray(0, 12))
  head.writeUInt16BE(0x8180 | (said === 'unknown' ? 3 : 0), 2)
  head.fill(0, 6)
  const question = query.subarray(12, end + 4)
  if (said === 'unknown') return Buffer.concat([head, question])
  if (said.isTruncated && !isTcp) {
    head.writeUInt16BE(0x8380, 2)
    return Buffer.concat([head, question])
  }
  let owner = name
  const records: Buffer[] = []
  for (const each of said.answers) {
    if ('cname' in each) {
      records.push(encodeRecord(owner, typeCname, encodeName(each.cname)))
      owner = each.cname
    } else if ('a' in each && type === typeA) {
      records.push(encodeRecord(owner, typeA, Buffer.from(each.a.split('.').map(Number))))
    } else if ('aaaa' in each && type === typeAaaa) {
      records.push(encodeRecord(owner, typeAaaa, Buffer.from(each.aaaa)))
    }
  }
  head.writeUInt16BE(records.length, 6)
  return Buffer.concat([head, question, ...records])
}

/** Listens on one port for UDP and TCP. Returns address and port. */
export const startNameServer = async (t: Pick<Test, 'teardown'>, zone: Zone): Promise<string> => {
  const tcp = createServer((socket) => {
    socket.on('error', () => {})
    // One chunk may contain several queries, each after its length.
    let rest = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk])
      while (rest.length > 2 && rest.length >= 2 + rest.readUInt16BE()) {
        const end = 2 + rest.readUInt16BE()
        const said = answer(rest.subarray(2, end), zone, true)
        rest = rest.subarray(end)
        if (!said) continue
        const length = Buffer.alloc(2)
        length.writeUInt16BE(said.length)
        socket.write(Buffer.concat([length, said]))
      }
    })
  }).listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const { port } = tcp.address() as AddressInfo
  const udp = createSocket('udp4')
  udp.on('message', (message, { port: from, address }) => {
    const said = answer(message, zone, false)
    if (said) udp.send(said, from, address)
  })
  udp.bind(port, '127.0.0.1')
  await once(udp, 'listening')
  t.teardown(() => {
    udp.close()
    tcp.close()
  })
  return `127.0.0.1:${port}`
}
