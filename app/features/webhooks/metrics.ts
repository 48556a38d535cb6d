import { byLabel, counter, createSlowFigure, type Figure, gauge, gaugeMin } from '../../observe/figures.ts'

type FigureSources = {
  attempts: Readonly<Record<string, number>>
  /** Time of the last scan of all webhooks, in milliseconds since 1970. `undefined` before the first scan. */
  checkedAt: () => number | undefined
  count: () => Promise<{ failing: number; disabled: number }>
}

const keptMs = 30_000

/** The database counts failing and disabled webhooks at most every 30 s. */
export const listFigures = ({ attempts, checkedAt, count }: FigureSources): readonly Figure[] => {
  const readCounts = createSlowFigure({ read: count, now: () => performance.now(), keptMs })
  return [
    counter('certdata_webhook_attempts_total', 'Messages sent to receivers of webhooks, by result', () =>
      byLabel('result', attempts),
    ),
    gauge(
      'certdata_webhooks_failing',
      'Webhooks whose receiver does not accept messages',
      async () => (await readCounts())?.failing,
    ),
    gauge(
      'certdata_webhooks_disabled',
      'Webhooks that the service has disabled: their receiver failed for three days, or answered 410',
      async () => (await readCounts())?.disabled,
    ),
    gaugeMin(
      'certdata_webhooks_looked_timestamp_seconds',
      'Time of the last check of all webhooks for messages to send',
      () => {
        const at = checkedAt()
        return at === undefined ? undefined : at / 1000
      },
    ),
  ]
}
