/** What the scopes of OpenID Connect (Core 1.0 §5.4, §11) mean to a person. Others speak by their names. */
const WORDS: Readonly<Record<string, string>> = {
  openid: "Know that it is you",
  profile: "See your name and other details of your profile",
  email: "See your e-mail address",
  offline_access: "Keep this access while you are away",
};

export function scopeWords(scope: string): string {
  return Object.hasOwn(WORDS, scope) ? (WORDS[scope] as string) : "Use what this permission covers";
}
