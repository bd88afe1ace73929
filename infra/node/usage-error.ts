/** The command line was wrong, told in one line to whoever wrote it. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}
