import { useSearchParams } from "wouter";

/** What the address says: what is searched for, and whether the form for a new client is open. */
export function useListAddress() {
  const [parameters, setParameters] = useSearchParams();
  const write = (name: string, value: string) =>
    setParameters(
      (former) => {
        const next = new URLSearchParams(former);
        if (value === "") next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  return {
    search: parameters.get("search") ?? "",
    setSearch: (search: string) => write("search", search),
    isCreating: parameters.get("create") === "true",
    setCreating: (isCreating: boolean) => write("create", isCreating ? "true" : ""),
  };
}
