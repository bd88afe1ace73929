import { Button } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import { asProblem } from "../../api/problem.ts";
import { type Answer, path } from "../../api/request.ts";
import { useSend } from "../../api/use-send.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { showFieldErrors } from "../../parts/field-errors.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { ClientFields } from "../api-clients/client-fields.tsx";
import classes from "../api-clients/client-form.module.css";
import { type ClientValues, changeOf, differingFields, rebased, valuesOf } from "../api-clients/client-values.ts";
import type { FormDrawerHandle } from "../api-clients/form-drawer.tsx";
import { needsName } from "../api-clients/needs-name.ts";
import { ChangedMeanwhile } from "./changed-meanwhile.tsx";
import type { ClientDetailsProps } from "./shown-client.ts";

export interface EditClientProps extends Pick<ClientDetailsProps, "client" | "refetch"> {
  readonly drawer: FormDrawerHandle;
}

/** Changes an API client as it was when the form opened. When somebody else was faster, the person decides, with their text kept. */
export function EditClient({ client, drawer, refetch }: EditClientProps) {
  const announce = useAnnounce();
  const [base, setBase] = useState(client);
  const [newer, setNewer] = useState<Answer<ApiClient>>();
  const [problem, setProblem] = useState<unknown>();
  const before = valuesOf(base.body);
  const form = useForm<ClientValues>({
    initialValues: before,
    validate: { name: needsName },
    onValuesChange: (values) => drawer.setDirty(differingFields(before, values).length > 0),
  });
  const save = useSend<ApiClient, { readonly values: ClientValues; readonly on: Answer<ApiClient> }>(
    ({ values, on }) => ({
      method: "PATCH",
      path: path`/api-clients/${client.body.clientId}`,
      body: changeOf(valuesOf(on.body), values),
      ifMatch: on.etag,
    }),
    {
      refreshes: ["/api-clients"],
      onDone: () => {
        announce("API client changed");
        drawer.done();
      },
    },
  );
  const send = (values: ClientValues, on: Answer<ApiClient>) =>
    save.mutate(
      { values, on },
      {
        onError: (error) =>
          asProblem(error).status === 412 ? void whenStale(values, error) : setProblem(showFieldErrors(form, error)),
      },
    );
  const whenStale = async (values: ClientValues, error: unknown) => {
    const { data } = await refetch();
    if (data === undefined || data.etag === base.etag) return setProblem(error);
    if (differingFields(before, valuesOf(data.body)).length > 0) return setNewer(data);
    // Only its key pairs are others: nothing to decide on.
    setBase(data);
    send(values, data);
  };
  const goOn = (on: Answer<ApiClient>, values: ClientValues) => {
    setBase(on);
    setNewer(undefined);
    form.setValues(values);
    drawer.setDirty(differingFields(valuesOf(on.body), values).length > 0);
  };
  const submit = form.onSubmit((values) => {
    if (save.isPending || newer !== undefined) return;
    setProblem(undefined);
    if (differingFields(before, values).length === 0) return drawer.done();
    send(values, base);
  });
  return (
    <form onSubmit={submit} noValidate className={classes.form}>
      <ClientFields form={form} />
      <div className={classes.foot}>
        <ProblemNote error={problem} title="The API client was not changed" />
        {newer !== undefined && (
          <ChangedMeanwhile
            before={before}
            own={form.values}
            newer={valuesOf(newer.body)}
            onKeep={() => goOn(newer, rebased(before, form.values, valuesOf(newer.body)))}
            onTake={() => goOn(newer, valuesOf(newer.body))}
          />
        )}
        <div className={classes.actions}>
          <Button variant="default" onClick={drawer.close} disabled={save.isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending} disabled={newer !== undefined}>
            Save changes
          </Button>
        </div>
      </div>
    </form>
  );
}
