import { findFileKind } from '../../app/features/imports/file-kind.ts'
import type { Target } from './fuzz.ts'

export const fileKind: Target = {
  name: 'file-kind',
  seeds: [
    'resource,customer,id\nproducts,acme,p-1\n',
    '{"resource":"products","customer":"acme","id":"p-1","name":"x"}\n',
    Buffer.from('\ufeffid;name\r\n1;"a;b"\r\n', 'utf16le'),
    '[{"resource":"products"}]',
  ],
  words: ['\r\n', '\r', ';', '\t', '"', '{', '}', '[', '\ufeff', '"customer":', 'PK\x03\x04', '\x1f\x8b'],
  check(input) {
    for (const hasCustomer of [true, false]) findFileKind(input, hasCustomer)
  },
}
