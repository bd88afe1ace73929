/** A plausible address in lower case. That mail arrives there is not ours to know. */
export function parseEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase();
  return email.length <= 254 && ADDRESS.test(email) ? email : undefined;
}

/** Nothing in it is invisible or turns the direction: it would look like somebody else's. */
const ADDRESS = /^[^\s@\p{Cc}\p{Cf}\p{Cs}\p{Co}"<>,;]+@[^\s@\p{Cc}\p{Cf}\p{Cs}\p{Co}"<>,;]+$/u;
