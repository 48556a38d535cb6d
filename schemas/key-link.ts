import { z } from 'zod'

/** The body that the page `/key` sends. */
export const keyLinkRequest = z.strictObject({ secret: z.string('expected the part of the link after #') })
