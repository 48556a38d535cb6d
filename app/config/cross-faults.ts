import { isIP } from 'node:net'
import type { z } from 'zod'
import { date } from '../../schemas/fields.ts'
import { origin, variables } from './variables.ts'

const secretLength = 32

const isAddressRange = (text: string): boolean => {
  const [address = '', prefix, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128))
}

/** What the variables say, each by itself. */
export type Environment = z.output<z.ZodObject<typeof variables>>

/** What no variable shows alone, and lists whose parts are wrong: a sentence for each. */
export const crossFaults = (env: Partial<Environment>): string[] => {
  const faults: string[] = []
  if (env.NODE_ENV === 'production') {
    for (const name of ['PUBLIC_URL', 'DATABASE_URL', 'SECRET_KEY'] as const) {
      if (env[name] === undefined)
        faults.push(`${name}: required in production (${variables[name].description})`)
    }
    if (env.PUBLIC_URL?.startsWith('http:')) faults.push('PUBLIC_URL: expected https in production')
    if (!env.TLS_CERT && !env.TRUSTED_PROXIES?.length) {
      faults.push(
        'TLS_CERT and TLS_KEY, or TRUSTED_PROXIES: required in production, where all requests come over TLS',
      )
    }
  }
  if (Boolean(env.TLS_CERT) !== Boolean(env.TLS_KEY))
    faults.push('TLS_CERT and TLS_KEY: expected both or none')
  if (env.SECRET_KEY?.some((key) => key.length < secretLength)) {
    faults.push(`SECRET_KEY: expected at least ${secretLength} characters`)
  }
  if (env.CORS_ORIGINS?.some((each) => !origin.safeParse(each).success)) {
    faults.push('CORS_ORIGINS: expected origins such as https://erp.example, never *')
  }
  if (env.TRUSTED_PROXIES?.some((each) => !isAddressRange(each))) {
    faults.push('TRUSTED_PROXIES: expected addresses or CIDR ranges such as 10.0.0.0/8')
  }
  if (env.CLIENT_IP_HEADER !== undefined && !env.TRUSTED_PROXIES?.length) {
    faults.push('CLIENT_IP_HEADER: expected TRUSTED_PROXIES too, because only their headers are believed')
  }
  if (env.HOLIDAYS?.some((each) => !date.safeParse(each).success)) {
    faults.push('HOLIDAYS: expected dates such as 2026-12-25')
  }
  return faults
}
