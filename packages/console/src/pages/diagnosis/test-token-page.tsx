import { Select, Stack, Textarea } from '@mantine/core'
import { useState } from 'react'
import { controller } from '../../api/client.ts'
import type { Explanation } from '../../api/wire.ts'
import { FormFrame } from '../../form/form-frame.tsx'
import { required } from '../../form/rules.ts'
import { useServerForm } from '../../form/use-server-form.ts'
import { ExplanationView } from '../../show/explanation-view.tsx'
import { PageHead } from '../../show/page-head.tsx'

const MAX_PASTED = 65_536

/** Paste a token, see the verdict step by step. */
export function TestTokenPage() {
  const [explanation, setExplanation] = useState<Explanation>()
  const { form, problem, isBusy, submit } = useServerForm({
    initialValues: { token: '', method: 'ext-jwt' as 'ext-jwt' | 'enroll' },
    validate: { token: required('A token', MAX_PASTED) },
    send: async ({ token, method }) => setExplanation(await controller.signers.explain(token, { method })),
  })
  return (
    <Stack>
      <PageHead
        title="Test a token"
        description="What would happen if somebody came with this token. Nothing is created, and the token is neither stored nor logged."
      />
      <FormFrame onSubmit={submit} problem={problem} isBusy={isBusy} submitLabel="Test">
        <Textarea
          label="Token"
          required
          autosize
          minRows={4}
          maxRows={10}
          spellCheck={false}
          autoComplete="off"
          classNames={{ input: 'code-input' }}
          placeholder="eyJhbGciOi…"
          {...form.getInputProps('token')}
        />
        <Select
          label="What it is for"
          allowDeselect={false}
          data={[
            { value: 'ext-jwt', label: 'To sign in' },
            { value: 'enroll', label: 'To enroll' },
          ]}
          {...form.getInputProps('method')}
        />
      </FormFrame>
      {explanation && <ExplanationView explanation={explanation} />}
    </Stack>
  )
}
