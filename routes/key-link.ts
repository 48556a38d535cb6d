import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { ApiError } from '../app/errors.ts'
import { truncateAddress } from '../app/http/client-address.ts'
import { isSameOrigin } from '../app/http/same-origin.ts'
import { takeLinkedKey } from '../app/identity/key-links.ts'
import { createTurn, toClientNetwork } from '../app/limits/address.ts'
import { createCount } from '../app/limits/limiter.ts'
import { emptyQuery } from '../app/lists/no-parameters.ts'
import { after } from '../app/overload/timer.ts'
import { keyPage } from '../app/site/key-page.ts'
import { noStore } from '../plugins/auth.ts'
import type { Deps } from '../plugins/deps.ts'
import { keyLinkRequest } from '../schemas/key-link.ts'

type KeyLinkOptions = Pick<Deps, 'config' | 'reserved' | 'publicUrl' | 'limitStore' | 'monotonicNow'>

/** Client networks that are counted at the same time, about 2 kB each. */
const maxAccounts = 10_000
/** Also if the customer has no API access, so that the answer reveals nothing about a link. */
const noKey = 'This link does not work: it may be wrong, used or expired. Ask the sender for a new one.'

/** Shows a key once. Attempts count per network, apart from failed logins but with the same quota. */
export const keyLinkRoutes: FastifyPluginAsyncZod<KeyLinkOptions> = async (
  app,
  { config, reserved, publicUrl, limitStore, monotonicNow },
) => {
  const limits = { store: limitStore, after, now: monotonicNow, maxAccounts }
  const attempts = createCount(limits, 'key_links', config.limits.failedLogins)
  const page = keyPage(publicUrl, config.house)

  app.get('/key', (_request, reply) => reply.sendPage(app.site.layOut(page)))
  app.route({
    method: 'POST',
    url: '/key',
    config: { bodyHint: 'Open the link again.' },
    schema: { body: keyLinkRequest, querystring: emptyQuery },
    onRequest: async (request) => {
      if (!isSameOrigin(request.headers, request.host, publicUrl)) throw new ApiError('cross_origin')
      const { clientAddress: address } = request
      const admission = attempts.take({ tag: `key-link:${toClientNetwork(address)}`, name: '' })
      await app.limiters.failures.delayRefusal(address, admission)
    },
    handler: async (request, reply) => {
      const source = { client: truncateAddress(request.clientAddress), requestId: request.id }
      const turn = createTurn(reserved, request.clientAddress)
      const key = await turn(() => takeLinkedKey(reserved, request.body.secret, source))
      if (!key) throw new ApiError('not_found', { detail: noKey })
      return reply.headers(noStore).send(key)
    },
  })
}
