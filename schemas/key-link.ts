import { z } from 'zod'

export const keyLinkRequest = z.strictObject({ secret: z.string('expected the part of the link after #') })
