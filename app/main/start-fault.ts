const remedies: Readonly<Record<string, string>> = {
  EADDRINUSE: 'end what listens there, or set PORT (or METRICS_PORT) to another; 0 is any free one',
  EACCES: 'this user may not take a port so low: set PORT to 1024 or more',
  EADDRNOTAVAIL: 'this machine has no such address: set HOST to one of its own, or to 0.0.0.0 for all',
}

/** Returns one line for standard error: the reason and, if the address is at fault, the remedy. */
export const describeStartFault = (error: unknown): string => {
  const { message, code, syscall } = (error instanceof Error ? error : { message: String(error) }) as Error &
    Partial<NodeJS.ErrnoException>
  const remedy = syscall === 'listen' && code !== undefined ? remedies[code] : undefined
  return `The service cannot start: ${message}${remedy === undefined ? '' : `. ${remedy}`}`
}
