/** The command line itself is wrong: exit code 2, with the way to the help. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** A check that the user asked for does not hold. */
export class CheckFailed extends Error {}
