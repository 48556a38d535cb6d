import { z } from 'zod'

/** The document of a custom endpoint decides the members. */
export const customAnswer = z.looseObject({})
