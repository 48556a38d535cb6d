import { describeMe } from '../../openapi/account.ts'
import type { Description } from '../../openapi/description.ts'

export const describeRotation: Description = {
  rank: 60,
  operationId: 'rotateKey',
  summary: 'Exchange an API key for a new one',
  description:
    'Send the key itself, in the body or by HTTP Basic as at the login: an access token is refused. The key needs the ' +
    'scope `keys:rotate`. The new key has the same scopes, networks and lifetime. It is pending: the first login with it, ' +
    'within a day, completes the rotation, and the previous key ends `overlap_seconds` later. A repeated call before that login makes ' +
    'another key and removes the pending one, so that a lost answer does no harm. A key may complete a rotation once an hour.',
  tag: describeMe.tag,
  errors: ['query', 'body', 'api_key', 'rotation'],
  answer: 'The new key, which is shown this once',
}
