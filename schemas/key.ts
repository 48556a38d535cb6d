import { z } from 'zod'
import { field, instant } from './fields.ts'

export const keySummary = z
  .strictObject({
    id: field(z.string(), 'Id of the key: its part after cda_live_', 'k3v9x2m7q4d8s1fa'),
    name: field(z.string().nullable(), "The operator's name for the key", 'ERP, production'),
    expires_at: field(
      instant.nullable(),
      'End of the key, or null without an end. Ask for a new key, or rotate it, before this time',
      '2027-03-31T22:00:00.000000Z',
    ),
  })
  .meta({ id: 'KeySummary', description: 'An API key without its secret' })
