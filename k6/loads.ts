/** The load of a script. */
export type Load = Readonly<{
  /** Requests a second without the variable RATE. `undefined`: one after another, as fast as answers arrive. */
  rate: number | undefined
  /** Reads for each request of `rate`, because a walk reads several pages. */
  readsPerRequest: number
  /** Whether its duration can change. */
  takesSeconds: boolean
}>

export const loads: Readonly<Record<string, Load>> = {
  mixed: { rate: 100, readsPerRequest: 1.5, takesSeconds: true },
  'redis-down': { rate: 100, readsPerRequest: 1, takesSeconds: false },
  smoke: { rate: undefined, readsPerRequest: 1, takesSeconds: true },
  soak: { rate: 50, readsPerRequest: 1, takesSeconds: true },
  spike: { rate: 600, readsPerRequest: 1, takesSeconds: false },
  steady: { rate: 200, readsPerRequest: 1, takesSeconds: true },
}
