/** How long an upstream may stay silent. What comes of it, and what people are asked meanwhile, begins the time anew. */
export interface Deadline {
  /** Aborts when the time is over, with a `TimeoutError`. */
  readonly signal: AbortSignal;
  readonly isOver: () => boolean;
  /** Something came: the time begins anew. With a length of its own, milliseconds, a person is waited for. */
  extend(milliseconds?: number): void;
  /** Nothing is waited for any more. */
  end(): void;
}

/** @param personAsked told when a person is waited for: the upstream has nothing to do meanwhile */
export function startDeadline(milliseconds: number, personAsked?: () => void): Deadline {
  const over = new AbortController();
  const expire = () => over.abort(new DOMException("The upstream stayed silent.", "TimeoutError"));
  let timer = setTimeout(expire, milliseconds);
  return {
    signal: over.signal,
    isOver: () => over.signal.aborted,
    extend: (other) => {
      if (other !== undefined) personAsked?.();
      clearTimeout(timer);
      timer = setTimeout(expire, other ?? milliseconds);
    },
    end: () => clearTimeout(timer),
  };
}
