/**
 * Which history of which database transaction numbers belong to, and which start of the server: what had been
 * committed without waiting for the disk may be gone after a crash, and its numbers used again.
 */
export const formatEpoch = (identity: string, server: string): string => `${identity} ${server}`

/** Whether a server, by the time of its start, is the one of the epoch. */
export const isServerOf = (epoch: string, server: string): boolean => epoch.endsWith(` ${server}`)
