import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useContext, useEffect, useState } from "react";
import type { Profile } from "../../../lib/management/schemas/profile.ts";
import type { SetupRequest } from "../../../lib/management/schemas/sign-in.ts";
import { ApiProblem } from "../../api/problem.ts";
import { useSend } from "../../api/use-send.ts";
import { ArrivalTokenContext } from "../../navigation/arrival-token.ts";
import { showFieldErrors } from "../../parts/field-errors.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import classes from "./setup-form.module.css";

export interface SetupFormProps {
  /** There is an owner already, who may come back: nothing has to be named. */
  readonly isReturn: boolean;
  readonly onDone: (profile: Profile, hasReturned: boolean) => void;
}

/** Token, organization, e-mail address. A token that the link brought is filled in. */
export function SetupForm({ isReturn, onDone }: SetupFormProps) {
  const kept = useContext(ArrivalTokenContext);
  const [problem, setProblem] = useState<unknown>();
  const form = useForm({
    initialValues: { token: kept.current ?? "", organization: "", email: "" },
    validate: {
      token: required("the setup token"),
      organization: isReturn ? () => null : required("a name"),
      email: required("your address"),
    },
  });
  const setup = useSend<Profile, SetupRequest>((body) => ({ method: "POST", path: "/setup", body, isPublic: true }), {
    onDone: ({ body, status }) => onDone(body, status === 200),
  });
  useEffect(() => {
    kept.current = undefined;
  }, [kept]);
  const submit = form.onSubmit(({ organization, ...others }) => {
    setProblem(undefined);
    setup.mutate(isReturn ? others : { ...others, organization }, {
      onError: (error) => setProblem(isReturn && isStranger(error) ? nobody() : showFieldErrors(form, error)),
    });
  });
  return (
    <form onSubmit={submit} className={classes.form} noValidate>
      <PasswordInput
        label="Setup token"
        description={
          isReturn
            ? "The one that is configured now. Each works once."
            : "The server prints it when it starts without an owner."
        }
        autoComplete="off"
        required
        key={form.key("token")}
        {...form.getInputProps("token")}
      />
      {!isReturn && (
        <TextInput
          label="Organization"
          description="A team or company. You can change the name later."
          autoComplete="organization"
          required
          key={form.key("organization")}
          {...form.getInputProps("organization")}
        />
      )}
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
        {isReturn ? "Sign in" : "Set up"}
      </Button>
    </form>
  );
}

/** The server took it for the first setup, which needs a name: the address is not the one of the owner who may come back. */
function isStranger(error: unknown): boolean {
  return error instanceof ApiProblem && error.fields.length === 1 && error.fields[0]?.pointer === "/organization";
}

function nobody(): ApiProblem {
  return new ApiProblem({
    status: 422,
    code: "invalid_field",
    title: "This address belongs to no owner to recover",
    detail: "Enter the owner's address that console.recoverOwner names. The token was not used up.",
  });
}

function required(what: string) {
  return (value: string) => (value.trim() === "" ? `Enter ${what}.` : null);
}
