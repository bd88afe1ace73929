/** How long an upstream may stay silent. What comes of it, and what people are asked meanwhile, begins the time anew. */
export interface Deadline {
  /** Aborts when the time is over, with a `TimeoutError`. */
  readonly signal: AbortSignal;
  readonly isOver: () => boolean;
  /** Something came: the time begins anew, with another length if given, milliseconds. */
  extend(milliseconds?: number): void;
  /** Nothing is waited for any more. */
  end(): void;
}

export function startDeadline(milliseconds: number): Deadline {
  const over = new AbortController();
  const expire = () => over.abort(new DOMException("The upstream stayed silent.", "TimeoutError"));
  let timer = setTimeout(expire, milliseconds);
  return {
    signal: over.signal,
    isOver: () => over.signal.aborted,
    extend: (other = milliseconds) => {
      clearTimeout(timer);
      timer = setTimeout(expire, other);
    },
    end: () => clearTimeout(timer),
  };
}
