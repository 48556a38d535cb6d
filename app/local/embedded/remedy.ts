const remedies: readonly [RegExp, string][] = [
  [/ENOSPC|EDQUOT|No space left|Disk quota exceeded/, 'free some space there'],
  [/EROFS|Read-only file system/, 'mount it for writing'],
  [/EACCES|EPERM|Permission denied|Operation not permitted/i, 'let this user write there'],
]

/** Returns a message with its cause and the next step for the operator. Uses the text of the cause. */
export const withRemedy = (message: string, { message: cause }: { message: string }): string => {
  const own = remedies.find(([pattern]) => pattern.test(cause))?.[1]
  const all = [...(own === undefined ? [] : [own]), 'name another folder in DATA_DIR']
  return `${message}: ${all.join(', or ')}, or set DATABASE_URL to a PostgreSQL of your own. The cause: ${cause}`
}
