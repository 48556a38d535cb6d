import { loads } from './loads.ts'
import { runK6 } from './program.ts'
import { readQuota } from './quota.ts'

/** Returns the rate for a service elsewhere, or a fault if the caller's rate does not fit into the quota of the key. */
const fitRate = async (
  script: string,
  origin: string,
  apiKey: string,
): Promise<{ rate: number } | { fault: string }> => {
  const { mostPerSecond, words } = await readQuota(origin, apiKey)
  const { rate: usual = Number.POSITIVE_INFINITY, readsPerRequest = 1 } = loads[script] ?? {}
  const most = Math.floor((mostPerSecond / readsPerRequest) * 10) / 10
  const asked = Number(process.env.RATE ?? 0)
  if (asked > most)
    return { fault: `RATE=${asked} is too much for ${script}: ${words}. Set RATE to at most ${most}` }
  const rate = asked > 0 ? asked : Math.min(usual, most)
  if (asked === 0 && rate < usual) console.error(`${script} sends ${rate} requests a second: ${words}`)
  return { rate }
}

const findUrlFault = (script: string, options: readonly string[], address: string): string | undefined => {
  const url = URL.parse(address)
  if (url?.href !== `${url?.origin}/`)
    return `--url expects an address such as https://api.example, without a path, not ${address}`
  if (script === 'redis-down' || options.includes('--prove'))
    return 'redis-down and --prove break the servers, so they run without --url'
  return process.env.API_KEY
    ? undefined
    : '--url needs the variable API_KEY: the key of a customer with records'
}

/** Runs the script against a service elsewhere, with the key of the environment. Resolves with 2 if it cannot run. */
export const runElsewhere = async (
  script: string,
  options: readonly string[],
  address: string,
): Promise<number> => {
  const { API_KEY: apiKey = '' } = process.env
  const refuse = (fault: string): number => {
    console.error(fault)
    return 2
  }
  const fault = findUrlFault(script, options, address)
  if (fault !== undefined) return refuse(fault)
  const { origin } = new URL(address)
  try {
    const fitted = await fitRate(script, origin, apiKey)
    if ('fault' in fitted) return refuse(fitted.fault)
    return await runK6(script, options, { RATE: String(fitted.rate), URL: origin })
  } catch (error) {
    const { message, cause } = error as Error
    return refuse(
      `${origin} cannot be measured: ${cause instanceof Error ? cause.message || cause : message}`,
    )
  }
}
