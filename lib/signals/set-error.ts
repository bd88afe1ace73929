/** Why an event is not taken, in the words of RFC 8935 §2.4. */
export type SetErrorCode =
  | "invalid_request"
  | "invalid_key"
  | "invalid_issuer"
  | "invalid_audience"
  | "authentication_failed"
  | "access_denied";

/** A security event that is not taken. The message goes to the transmitter: it says what was wrong, and repeats nothing of it. */
export class SetError extends Error {
  readonly code: SetErrorCode;
  constructor(code: SetErrorCode, description: string) {
    super(description);
    this.name = "SetError";
    this.code = code;
  }
}

/** What an event brings about cannot be kept or checked now: the transmitter has to send it again. */
export class SignalNotTakenError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "SignalNotTakenError";
  }
}
