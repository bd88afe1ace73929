/** Where an app is reached: one entry of `routePatterns`. */
export interface RoutePattern {
  /** In lower case, with its port where one is written; absent: the host of the instance itself. */
  readonly host?: string;
  /** Canonical, without a trailing slash unless it is `/`. */
  readonly path: string;
}
