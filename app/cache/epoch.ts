/**
 * The epoch of transaction numbers: database history and server start. A crash may lose commits that did not
 * wait for the disk, and the server then reuses their numbers.
 */
export const formatEpoch = (identity: string, server: string): string => `${identity} ${server}`

/** Whether the epoch has this start time of a server. */
export const isServerOf = (epoch: string, server: string): boolean => epoch.endsWith(` ${server}`)
