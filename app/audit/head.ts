import type { ChainHead } from './chain.ts'

/** Formats a head for logs, output and `audit verify --head`. */
export const formatHead = ({ sealNo, mac }: ChainHead): string => `${sealNo}:${mac.toString('base64url')}`

/** Parses a head. `undefined` if the text is not one. */
export const parseHead = (text: string): ChainHead | undefined => {
  const [, sealNo, mac] = /^(\d{1,15}):([A-Za-z0-9_-]{43})$/.exec(text) ?? []
  return sealNo === undefined || mac === undefined
    ? undefined
    : { sealNo: Number(sealNo), mac: Buffer.from(mac, 'base64url') }
}
