import { accessRequest } from '../../../schemas/access-requests.ts'
import { createSignedText, type Mac } from '../../config/signed.ts'
import { dayMs } from '../../config/units.ts'
import { ApiError } from '../../errors.ts'
import type { AccessRequests } from './requests.ts'

export type FormValues = Readonly<Record<string, string>>

export type FormOutcome = Readonly<{ kind: 'received'; id: string; dueAt: string }> | Refused

/** The page shows the form again. `faults` are messages by field; `message` concerns the whole form. */
type Refused = Readonly<{
  kind: 'refused'
  status: number
  message: string
  faults: Readonly<Record<string, string>>
  headers: Readonly<Record<string, string>>
}>

type AccessForm = {
  /** Signs the time. `previous`: the ticket of a refused form, which is kept if it is still valid. */
  ticket(previous?: string): string
  /** Client errors, also a used-up quota of network, site or service, are outcomes. Other errors reject. */
  submit(values: FormValues, ip: string): Promise<FormOutcome>
}

const fastestMs = 3_000
const slowestMs = dayMs
const timeBytes = 8

const toRefused = (status: number, message: string, faults: Record<string, string> = {}): Refused => ({
  kind: 'refused',
  status,
  message,
  faults,
  headers: {},
})

const toRefusedQuota = (error: unknown): FormOutcome => {
  if (!(error instanceof ApiError) || error.status >= 500) throw error
  return { ...toRefused(error.status, error.message), headers: error.extras.headers ?? {} }
}

/** Handles the contact form. A hidden field and the ticket's age reveal programs. `now`: whole Unix ms. */
export const createAccessForm = (requests: AccessRequests, secrets: Mac, now: () => number): AccessForm => {
  const tickets = createSignedText(secrets, 'access form', 1)

  const ageMs = (ticket: string): number | undefined => {
    const time = tickets.open('', ticket)
    return time?.length === timeBytes ? now() - Number(time.readBigUInt64BE()) : undefined
  }

  return {
    ticket(previous = '') {
      if ((ageMs(previous) ?? Infinity) <= slowestMs) return previous
      const time = Buffer.alloc(timeBytes)
      time.writeBigUInt64BE(BigInt(now()))
      return tickets.sign('', time)
    },
    async submit({ website = '', ticket = '', consent, ...values }, ip) {
      if (website !== '') {
        return toRefused(400, 'Leave the hidden field "Website" empty: only programs fill it in.', {
          website: 'expected nothing',
        })
      }
      const age = ageMs(ticket)
      if (age === undefined || age > slowestMs)
        return toRefused(400, 'This form is too old: send it once more.')
      if (age < fastestMs)
        return toRefused(400, 'The form was sent faster than people type. Please send it once more.')
      try {
        await requests.admit(ip)
        const { company, name, email, message } = values
        const body = { company, name, email, message, consent: consent === 'true' }
        const { data: request, error } = accessRequest.safeParse(body)
        if (error) {
          const faults = error.issues.map((issue) => [String(issue.path[0]), issue.message])
          return toRefused(400, 'Some fields are not valid.', Object.fromEntries(faults))
        }
        const { id, due_at: dueAt } = await requests.submit(request, ip)
        return { kind: 'received', id, dueAt }
      } catch (error) {
        return toRefusedQuota(error)
      }
    },
  }
}
