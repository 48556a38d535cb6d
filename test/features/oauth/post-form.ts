import type { FastifyInstance } from 'fastify'

export const postForm = (
  app: FastifyInstance,
  path: string,
  form: Record<string, string> | string,
  headers: Record<string, string> = {},
) =>
  app.inject({
    method: 'POST',
    url: `/v1/oauth/${path}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
  })
