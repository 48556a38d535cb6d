export { type AssertionOptions, createAssertion, type PrivateKey } from './assertion.ts'
export { createClient } from './client.ts'
export type { AnswerOf, Client, ClientOptions, PageOf } from './client-types.ts'
export { type CsvKind, formatCell, parseCell, splitCsv } from './csv.ts'
export { type AnswerCache, createAnswerCache, type Kept } from './etag-cache.ts'
export { createEventParser, type EventParser, type ServerEvent } from './events.ts'
export type {
  Change,
  ChangeStore,
  ChangesFilter,
  ChangesPage,
  FollowOptions,
  ResourceName,
} from './follow.ts'
export type { Credentials } from './login.ts'
export { NetworkError, type NetworkReason } from './network-error.ts'
export { type ProblemCode, ProblemError, parseRetryAfter, readProblem } from './problem.ts'
export { formatQuery, type Query } from './query.ts'
export { decideRetry, defaultRetry, type Failure, type RetryEvent, type RetryOptions } from './retry.ts'
export type { StoreKey } from './rotate-key.ts'
export type { Answer, RequestOptions } from './transport.ts'
export type * from './types.ts'
export {
  createWebhookVerifier,
  verifyWebhook,
  WebhookError,
  type WebhookKey,
  type WebhookMessage,
  type WebhookOptions,
  type WebhookReason,
  type WebhookRequest,
} from './webhook.ts'
