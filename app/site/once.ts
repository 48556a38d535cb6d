/** Returns a function that calls `create` at its first call, and returns the same value each time. */
export const once = <Value>(create: () => Value): (() => Value) => {
  let created: { value: Value } | undefined
  return () => {
    created ??= { value: create() }
    return created.value
  }
}
