/**
 * Whether an operation may be repeated when its answer was lost. `read`: always. `write`: yes, it changes nothing more and the
 * second answer serves as the first. `once`: no, only the caller can tell its own first attempt from somebody else's.
 */
export type OperationKind = "read" | "write" | "once";

/** One operation of a store: how it may be called, with which arguments and result. The signature is a type alone. */
export interface Operation<Kind extends OperationKind, Call extends Signature> {
  readonly kind: Kind;
  readonly call?: Call;
}

/** What a part of the store can do. Ports, store thread, Durable Objects and their stubs are made from it. */
export type Operations = Readonly<Record<string, Operation<OperationKind, Signature>>>;

/** The operations as callers see them: each is asynchronous. */
export type Port<Table extends Operations> = {
  readonly [Name in keyof Table]: (...args: Arguments<Table[Name]>) => Promise<Result<Table[Name]>>;
};

export type Arguments<Of> = Of extends Operation<OperationKind, infer Call> ? Parameters<Call> : never;
export type Result<Of> = Of extends Operation<OperationKind, infer Call> ? ReturnType<Call> : never;

/** Any function. */
export type Signature = (...args: never[]) => unknown;

export function read<Call extends Signature>(): Operation<"read", Call> {
  return { kind: "read" };
}

export function write<Call extends Signature>(): Operation<"write", Call> {
  return { kind: "write" };
}

export function once<Call extends Signature>(): Operation<"once", Call> {
  return { kind: "once" };
}

/** A port whose operations all go one way, for example through a message to another thread. */
export function portOf<Table extends Operations>(
  table: Table,
  call: (name: string, kind: OperationKind, args: readonly unknown[]) => Promise<unknown>,
): Port<Table> {
  const operations = Object.entries(table).map(([name, { kind }]) => [
    name,
    (...args: readonly unknown[]) => call(name, kind, args),
  ]);
  return Object.fromEntries(operations) as Port<Table>;
}
