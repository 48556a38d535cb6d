import type { Feature } from './feature.ts'
import { accessRequests } from './features/access-requests/feature.ts'
import { account } from './features/account/feature.ts'
import { auditList } from './features/audit-list/feature.ts'
import { calendar } from './features/calendar/feature.ts'
import { clients } from './features/clients/feature.ts'
import { custom } from './features/custom/feature.ts'
import { demo } from './features/demo/feature.ts'
import { feed } from './features/feed/feature.ts'
import { history } from './features/history/feature.ts'
import { imports } from './features/imports/feature.ts'
import { oauth } from './features/oauth/feature.ts'
import { personalData } from './features/personal-data/feature.ts'
import { rotation } from './features/rotation/feature.ts'
import { status } from './features/status/feature.ts'
import { verify } from './features/verify/feature.ts'
import { webhooks } from './features/webhooks/feature.ts'

/** All features. A feature that another one needs is listed before it. */
export const features: readonly Feature[] = [
  // One line for each feature.
  verify,
  personalData,
  demo,
  status,
  accessRequests,
  history,
  feed,
  webhooks,
  imports,
  auditList,
  oauth,
  clients,
  account,
  custom,
  rotation,
  calendar,
]
