const remedies: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'stop the program that uses it, or set PORT (or METRICS_PORT) to another port; 0 chooses a free one',
  EACCES: 'this user may not use a port below 1024: set PORT to 1024 or more',
  EADDRNOTAVAIL: 'this machine does not have the address: set HOST to one that it has, or to 0.0.0.0 for all',
}

/** Returns one line for standard error: the reason and, if the address is at fault, the remedy. */
export const describeStartFault = (error: unknown): string => {
  const { message, code, syscall } = (error instanceof Error ? error : { message: String(error) }) as Error &
    Partial<NodeJS.ErrnoException>
  const remedy = syscall === 'listen' && code !== undefined ? remedies[code] : undefined
  return `The service cannot start: ${message}${remedy === undefined ? '' : `. ${remedy}`}`
}
