/** A reason not to start, told in one line to whoever started the process. */
export class StartupError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = "StartupError";
  }
}
