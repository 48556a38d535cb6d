import { z } from 'zod'
import { field, instant } from './fields.ts'
import { keySummary } from './key.ts'

export const rotatedKey = z
  .strictObject({
    api_key: field(
      z.string(),
      'The new API key. Store it before you log in with it',
      'cda_live_w8k2m5r1t7c4n9zb_<secret>',
    ),
    key: keySummary,
    expires_at_after_login: field(
      instant.nullable(),
      'End of the new key from its first login on, or null without an end. Until then it ends at `key.expires_at`, a day after this answer',
      '2027-03-31T22:00:00.000000Z',
    ),
    replaces: field(z.string(), 'Id of the previous key, which works until then', 'k3v9x2m7q4d8s1fa'),
    overlap_seconds: field(
      z.int(),
      'How long the previous key works after the first login with the new one',
      604_800,
    ),
  })
  .meta({ id: 'RotatedKey', description: 'A new API key in place of another one' })
