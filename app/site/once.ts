/** Returns a function that calls `create` once, when it is first called, and keeps the value. */
export const once = <Value>(create: () => Value): (() => Value) => {
  let created: { value: Value } | undefined
  return () => {
    created ??= { value: create() }
    return created.value
  }
}
