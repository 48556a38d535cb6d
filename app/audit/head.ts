import type { ChainHead } from './chain.ts'

/** For the log and for `audit verify --head`. */
export const formatHead = ({ sealNo, mac }: ChainHead): string => `${sealNo}:${mac.toString('base64url')}`

/** `undefined` if the text is malformed. */
export const parseHead = (text: string): ChainHead | undefined => {
  const [, sealNo, mac] = /^(\d{1,15}):([A-Za-z0-9_-]{43})$/.exec(text) ?? []
  return sealNo === undefined || mac === undefined
    ? undefined
    : { sealNo: Number(sealNo), mac: Buffer.from(mac, 'base64url') }
}
