/** An error of a check. `reason` is a code for programs. */
export class ReasonError<Reason extends string> extends Error {
  readonly reason: Reason

  constructor(reason: Reason, message: string) {
    super(message)
    this.reason = reason
  }
}
