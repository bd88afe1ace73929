/**
 * Makes objects with properties that are made when they are first read. They are own and enumerable ones, so JSON and policies find
 * them. All objects of one maker have the same getters: V8 would make a hidden class for each object literal with a getter, and keep
 * what the getter sees until a full collection.
 */
export function lazyProperties<Fields extends object>(
  ...names: readonly (keyof Fields & string)[]
): (make: { readonly [Name in keyof Fields]: () => Fields[Name] }) => Fields {
  class Lazy {
    readonly #make: { readonly [Name in keyof Fields]: () => Fields[Name] };
    readonly #made: Partial<Fields> = {};

    constructor(make: { readonly [Name in keyof Fields]: () => Fields[Name] }) {
      this.#make = make;
      Object.defineProperties(this, properties);
    }

    static read<Name extends keyof Fields>(object: Lazy, name: Name): Fields[Name] {
      const made = object.#made[name] ?? object.#make[name]();
      object.#made[name] = made;
      return made;
    }
  }
  // Engines of policies tell kinds of values apart by it, and take these for what they are: plain objects.
  Object.defineProperty(Lazy.prototype, "constructor", { value: Object });
  const properties: PropertyDescriptorMap = {};
  for (const name of names) {
    properties[name] = {
      enumerable: true,
      get(this: Lazy) {
        return Lazy.read(this, name);
      },
    };
  }
  return (make) => new Lazy(make) as unknown as Fields;
}
