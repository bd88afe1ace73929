/** Too many requests to the upstream run already, and too many others wait, or this one has waited for too long. */
export class UpstreamBusy extends Error {
  readonly app: string;

  constructor(app: string) {
    super(`The app ${app} has as many requests at once as it may have.`);
    this.name = "UpstreamBusy";
    this.app = app;
  }
}

/** The upstream has not answered for several times: nothing is sent to it for now. */
export class UpstreamOpen extends Error {
  readonly app: string;
  /** Milliseconds until it is tried again. */
  readonly retryAfter: number;

  constructor(app: string, retryAfter: number) {
    super(`The app ${app} did not answer repeatedly; it is tried again in ${Math.ceil(retryAfter / 1_000)} s.`);
    this.name = "UpstreamOpen";
    this.app = app;
    this.retryAfter = retryAfter;
  }
}
