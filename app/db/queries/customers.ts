import { z } from 'zod'
export const customerSlug = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'expected a-z 0-9 -, at most 64')
