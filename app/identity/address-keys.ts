/**
 * A kind of key that is part of an address, for programs that send no header. It works at this address only. See
 * docs/decisions/0274-keys-of-addresses-are-keys.md.
 */
export type AddressKey = Readonly<{
  /** Of the option of `keys issue`, and in the text of each key. Lower case letters. */
  name: string
  /** The help of this option. */
  description: string
  /** The only scope of such a key. No endpoint for tokens has it, and `keys issue --scopes` does not accept it. */
  scope: string
  /** `*` stands for the key. */
  path: string
}>

/** Returns the address with this key. `origin` has no slash at its end. */
export const toAddress = ({ path }: AddressKey, origin: string, key: string): string =>
  origin + path.replace('*', key)
