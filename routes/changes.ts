import type { Feed } from '../app/feed/feed.ts'
import { feedCost, offeredTypes } from '../app/feed/offer.ts'
import { changesScope } from '../app/identity/scopes.ts'
import { describeChanges } from '../app/site/openapi/changes.ts'
import type { Endpoint } from '../plugins/endpoint.ts'

/** The change feed. */
export const changeEndpoints = (feed: Feed): Endpoint[] => [
  {
    path: '/changes',
    scope: changesScope,
    schema: { openapi: describeChanges },
    minuteCost: feedCost,
    offers: offeredTypes,
    respond: feed.answer,
  },
]
