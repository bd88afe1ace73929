/** What the scopes of OpenID Connect (Core 1.0 §5.4, §11) mean to a person. */
const WORDS: Readonly<Record<string, string>> = {
  openid: "Know that it is you",
  profile: "See your name and other details of your profile",
  email: "See your e-mail address",
  offline_access: "Keep this access while you are away",
};

/** Undefined for all others: they speak by their names. */
export function scopeWords(scope: string): string | undefined {
  return Object.hasOwn(WORDS, scope) ? WORDS[scope] : undefined;
}
