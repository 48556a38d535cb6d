import type { Credential } from './credential.ts'
import type { KeyFacts } from './facts.ts'

/** Where a credential was sent from. */
export type LoginSource = Readonly<{
  ip: string
  /** For the audit trail. */
  requestId?: string
}>

/** Returns the facts of the key that a credential belongs to. Rejects with the reason of a refusal. */
export type KeyCheck = (credential: Credential, source: LoginSource) => Promise<KeyFacts>

/** `isLogin`: the client wants a token. Otherwise it authenticates for introspection or revocation. */
export type LoginEvent =
  | Readonly<{ type: 'accepted'; isLogin: boolean; source: LoginSource }>
  | Readonly<{
      type: 'refused'
      isLogin: boolean
      source: LoginSource
      keyId: string | undefined
      error: unknown
    }>
  /** A token was signed. It is sent after all listeners. */
  | Readonly<{ type: 'signed'; source: LoginSource; key: KeyFacts }>

/** Delays the answer until its promise resolves. If it rejects, the login fails. */
export type LoginListener = (event: LoginEvent) => void | Promise<void>

/** The one event of logins: every check of a credential and every signing of a token emits it. */
export const createLoginEvents = () => {
  const listeners: LoginListener[] = []
  const emit = async (event: LoginEvent) => {
    for (const listener of listeners) await listener(event)
  }
  return {
    /** Calls `listener` for all events from now on, after the listeners before it. */
    on(listener: LoginListener): void {
      listeners.push(listener)
    },
    /** Returns the same check. It emits `accepted` or `refused`. */
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
    /** Returns the same signing. It emits `signed`. */
    emitSigned:
      <Rest extends unknown[], Token>(sign: (key: KeyFacts, ...rest: Rest) => Promise<Token>) =>
      async (key: KeyFacts, source: LoginSource, ...rest: Rest): Promise<Token> => {
        const token = await sign(key, ...rest)
        await emit({ type: 'signed', source, key })
        return token
      },
  }
}
