import { z } from 'zod'
import { field, instant } from './fields.ts'

/** Refuses control characters, which could move a terminal's cursor, and text that cannot be stored. */
const isLine = (value: string) => value.isWellFormed() && !/\p{Cc}/u.test(value)
const isProse = (value: string) => isLine(value.replace(/[\n\r\t]/g, ' '))
const isThere = (value: string) => value.trim() !== ''

const textField = (most: number, isAllowed: (value: string) => boolean) =>
  z
    .string(`expected text, at most ${most} characters`)
    .min(1, 'expected some text')
    // `abort`: the following checks never read a long text.
    .max(most, { error: `expected at most ${most} characters`, abort: true })
    .refine((value) => value === '' || isThere(value), 'expected more than blanks')
    .refine(isAllowed, 'expected text without control characters or lone surrogates')

const email = z
  .string('expected an e-mail address')
  // RFC 5321, section 4.5.3.1: a path has 256 bytes including its brackets.
  .max(254, { error: 'expected at most 254 characters', abort: true })
  // Linear time: no part of the domain can match in two ways.
  .regex(/^[^\s@]+@(?:[^\s@.]+\.)+[^\s@.]+$/, 'expected an e-mail address')
  .refine(isLine, 'expected text without control characters or lone surrogates')

export const accessRequest = z
  .strictObject(
    {
      company: field(textField(200, isLine), 'The company that requests access', 'Acme GmbH'),
      name: field(textField(200, isLine), 'The name of the person', 'Ada Example'),
      email: field(email, 'The address for the answer', 'ada@acme.example'),
      message: field(
        textField(4_000, isProse),
        'The purpose of the access',
        'We want to show our certificates.',
      ),
      consent: field(
        z.literal(true, 'expected true: without consent nothing is kept'),
        'Consent to keep these data in order to answer the request. They are deleted after a set time',
        true,
      ),
    },
    'expected an object',
  )
  .meta({ id: 'AccessRequest', description: 'A request for access to the API' })

/** Any texts, because the page parses them by `accessRequest`, to show the faults. `null` without a body. */
export const accessForm = z.record(z.string(), z.string()).nullable()

export const accessRequestAnswer = z
  .strictObject({
    id: field(z.string(), 'Id of the request, for questions about it', 'k3v9x2m7q4d8s1fa'),
    due_at: field(
      instant,
      'The request is answered by this time: one business day after it arrived, in UTC',
      '2026-11-24T09:30:00.000000Z',
    ),
  })
  .meta({ id: 'AccessRequestAnswer', description: 'Confirms that the request has arrived' })
