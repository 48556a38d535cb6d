import type { Credential } from './credential.ts'
import type { KeyFacts } from './facts.ts'

export type LoginSource = Readonly<{ ip: string; requestId?: string }>

export type KeyCheck = (credential: Credential, source: LoginSource) => Promise<KeyFacts>

/** `isLogin`: false if the client authenticates for introspection or revocation. `keyId`: as claimed. */
export type LoginEvent =
  | Readonly<{ type: 'accepted'; isLogin: boolean; source: LoginSource }>
  | Readonly<{
      type: 'refused'
      isLogin: boolean
      source: LoginSource
      keyId: string | undefined
      error: unknown
    }>
  | Readonly<{ type: 'signed'; source: LoginSource; key: KeyFacts }>

/** The client waits for it. If it rejects, the login fails. */
export type LoginListener = (event: LoginEvent) => void | Promise<void>

/** Listeners run one after another. */
export const createLoginEvents = () => {
  const listeners: LoginListener[] = []
  const emit = async (event: LoginEvent) => {
    for (const listener of listeners) await listener(event)
  }
  return {
    on(listener: LoginListener): void {
      listeners.push(listener)
    },
    emitChecks:
      (isLogin: boolean, check: KeyCheck): KeyCheck =>
      async (credential, source) => {
        const facts = await check(credential, source).catch(async (error: unknown) => {
          await emit({ type: 'refused', isLogin, source, keyId: credential.keyId, error })
          throw error
        })
        await emit({ type: 'accepted', isLogin, source })
        return facts
      },
    emitSigned:
      <Rest extends unknown[], Token>(sign: (key: KeyFacts, ...rest: Rest) => Promise<Token>) =>
      async (key: KeyFacts, source: LoginSource, ...rest: Rest): Promise<Token> => {
        const token = await sign(key, ...rest)
        await emit({ type: 'signed', source, key })
        return token
      },
  }
}
