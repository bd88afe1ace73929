import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useContext, useEffect, useState } from "react";
import type { Profile } from "../../../lib/management/schemas/profile.ts";
import type { SetupRequest } from "../../../lib/management/schemas/sign-in.ts";
import { useSend } from "../../api/use-send.ts";
import { ArrivalTokenContext } from "../../navigation/arrival-token.ts";
import { showFieldErrors } from "../../parts/field-errors.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import classes from "./setup-form.module.css";

/** Token, organization, e-mail address. A token that the link brought is filled in. */
export function SetupForm({ onDone }: { readonly onDone: (profile: Profile) => void }) {
  const kept = useContext(ArrivalTokenContext);
  const [problem, setProblem] = useState<unknown>();
  const form = useForm({
    initialValues: { token: kept.current ?? "", organization: "", email: "" },
    validate: { token: required("the setup token"), organization: required("a name"), email: required("your address") },
  });
  const setup = useSend<Profile, SetupRequest>((body) => ({ method: "POST", path: "/setup", body, isPublic: true }), {
    onDone: ({ body }) => onDone(body),
  });
  useEffect(() => {
    kept.current = undefined;
  }, [kept]);
  const submit = form.onSubmit((values) => {
    setProblem(undefined);
    setup.mutate(values, { onError: (error) => setProblem(showFieldErrors(form, error)) });
  });
  return (
    <form onSubmit={submit} className={classes.form} noValidate>
      <PasswordInput
        label="Setup token"
        description="The server prints it when it starts without an owner."
        autoComplete="off"
        required
        key={form.key("token")}
        {...form.getInputProps("token")}
      />
      <TextInput
        label="Organization"
        description="A team or company. You can change the name later."
        autoComplete="organization"
        required
        key={form.key("organization")}
        {...form.getInputProps("organization")}
      />
      <TextInput
        label="Your e-mail address"
        type="email"
        autoComplete="email"
        required
        key={form.key("email")}
        {...form.getInputProps("email")}
      />
      <ProblemNote error={problem} />
      <Button type="submit" loading={setup.isPending}>
        Set up
      </Button>
    </form>
  );
}

function required(what: string) {
  return (value: string) => (value.trim() === "" ? `Enter ${what}.` : null);
}
