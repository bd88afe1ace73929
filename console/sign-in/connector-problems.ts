/** Why a sign-in at a connector came to nothing, in words. */
export interface ConnectorProblem {
  readonly title: string;
  readonly detail: string;
}

/** The words for a `?problem=` code that the way back from a connector ends with; undefined without one. */
export function connectorProblem(search: string): ConnectorProblem | undefined {
  const code = new URLSearchParams(search).get("problem");
  return code === null ? undefined : (WORDS[code] ?? OTHERWISE);
}

const OTHERWISE: ConnectorProblem = {
  title: "Signing in did not work",
  detail: "The identity provider or this instance reported a failure. Try again, or use another way.",
};

const WORDS: Readonly<Record<string, ConnectorProblem>> = {
  unknown_account: {
    title: "Nobody here has that account",
    detail:
      "Sign in another way and connect it on your account page. If you are new, open your invitation and accept it through the identity provider.",
  },
  already_linked: {
    title: "That account belongs to somebody else",
    detail:
      "It is connected with another person of this instance. Disconnect it there first, or choose another account.",
  },
  denied: {
    title: "Signing in was declined",
    detail: "The identity provider did not let you in, or you cancelled there.",
  },
  failed: OTHERWISE,
  expired: {
    title: "That took too long",
    detail: "The sign-in was begun too long ago, or in another browser. Begin again.",
  },
  invitation_gone: {
    title: "The invitation is gone",
    detail: "It was used, withdrawn, or has expired. Ask an owner of the organization for a new one.",
  },
};
