/** Why a sign-in at a connector came to nothing, for the page of the Console that the person comes back to. */
export type ConnectorProblem =
  /** Nobody linked the account. */
  | "unknown_account"
  /** It is linked with somebody else. */
  | "already_linked"
  /** The connector, or the person there, said no. */
  | "denied"
  /** The connector brought nobody that could be verified. */
  | "failed"
  /** It took too long, was answered before, began in another browser, or its session is over. */
  | "expired"
  | "invitation_gone"
  /** The invitation is for an address that a person has. */
  | "email_taken";
