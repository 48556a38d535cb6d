/** An error of a check, with its cause as a word for programs. */
export class ReasonError<Reason extends string> extends Error {
  readonly reason: Reason

  constructor(reason: Reason, message: string) {
    super(message)
    this.reason = reason
  }
}
