const KEY = "countersign-organization";

/** Which of the person's organizations the Console is about. The id is remembered by the browser; it opens nothing. */
export interface OrganizationChoice {
  /** Undefined until one is chosen: the server then takes the one joined first. */
  readonly current: () => string | undefined;
  /** The one chosen in an earlier visit. */
  readonly remembered: () => string | undefined;
  readonly choose: (organizationId: string) => void;
  readonly forget: () => void;
  readonly subscribe: (listener: () => void) => () => void;
}

export function createOrganizationChoice(): OrganizationChoice {
  const listeners = new Set<() => void>();
  let chosen: string | undefined;
  const set = (organizationId: string | undefined) => {
    chosen = organizationId;
    for (const listener of listeners) listener();
  };
  return {
    current: () => chosen,
    remembered: () => attempt(() => localStorage.getItem(KEY)) ?? undefined,
    choose: (organizationId) => {
      attempt(() => localStorage.setItem(KEY, organizationId));
      set(organizationId);
    },
    forget: () => set(undefined),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Browsers may refuse storage altogether; then nothing is remembered. */
function attempt<Value>(use: () => Value): Value | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
