/** The returned function calls `create` at its first call and keeps the value. An exception is not kept. */
export const once = <Value>(create: () => Value): (() => Value) => {
  let created: { value: Value } | undefined
  return () => {
    created ??= { value: create() }
    return created.value
  }
}
