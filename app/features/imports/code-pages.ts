const cp850 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0'

/** Characters of the bytes 80 to FF, from the tables of unicode.org: WHATWG Encoding has no code page of MS-DOS. */
const highCharacters: Readonly<Record<string, string>> = {
  cp437:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
  cp850,
  cp852:
    'ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0',
  // With the euro.
  cp858: cp850.replace('ı', '€'),
}
/** Names of other programs: WHATWG has `macintosh`, `iso-8859-15` and `utf-16le`. */
const otherNames: Readonly<Record<string, string>> = {
  macroman: 'macintosh',
  'mac-roman': 'macintosh',
  'latin-1': 'windows-1252',
  'latin-9': 'iso-8859-15',
  latin9: 'iso-8859-15',
  ansi: 'windows-1252',
}

/**
 * Returns the label of an encoding: `cp850` for `IBM850`, or a label of WHATWG Encoding, in which `iso-8859-1` is
 * `windows-1252`. Throws a `RangeError` for an unknown name.
 */
export const getEncodingLabel = (name: string): string => {
  const known = name.trim().toLowerCase()
  const dos = known.replace(/^(?:cp|ibm|dos|oem)?[-_ ]?(?=\d{3}$)/, 'cp')
  if (Object.hasOwn(highCharacters, dos)) return dos
  try {
    return new TextDecoder(otherNames[known] ?? known).encoding
  } catch (cause) {
    throw new RangeError(
      'unknown; expected a name such as windows-1252, windows-1250, iso-8859-15, cp850, cp437, macroman or utf-16',
      { cause },
    )
  }
}

/** `bytes`: undefined at the end of the source. */
export type Decode = (bytes?: Uint8Array) => string

/** Creates a decoder of a source in pieces. Throws a `TypeError` for invalid bytes if `fatal`. */
export const createDecoder = (label: string, { fatal }: { fatal: boolean }): Decode => {
  const high = highCharacters[label]
  if (high === undefined) {
    const decoder = new TextDecoder(label, { fatal })
    return (bytes) => (bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode())
  }
  return (bytes = new Uint8Array()) =>
    Buffer.from(bytes)
      .toString('latin1')
      .replace(/[\x80-\xff]/g, (byte) => high[byte.charCodeAt(0) - 0x80] as string)
}
