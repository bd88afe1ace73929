/** Values that count once: sign-in links, setup tokens, later authorization codes. */
export interface SingleUse {
  /** True for exactly one caller per namespace and key, until `expiresAt` (milliseconds). Linearizable. */
  consume(namespace: string, key: string, expiresAt: number): Promise<boolean>;
}
