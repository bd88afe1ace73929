/** What Workers has of this module of Node without `nodejs_compat`. */
declare module "node:async_hooks" {
  export class AsyncLocalStorage<Store> {
    run<Result>(store: Store, work: () => Result): Result;
    getStore(): Store | undefined;
  }
}
