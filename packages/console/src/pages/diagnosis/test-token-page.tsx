import { Select, Stack, Textarea } from '@mantine/core'
import { useState } from 'react'
import { controller } from '../../api/client.ts'
import type { Explanation } from '../../api/wire.ts'
import { FormFrame } from '../../form/form-frame.tsx'
import { required } from '../../form/rules.ts'
import { useServerForm } from '../../form/use-server-form.ts'
import { ExplanationView } from '../../show/explanation-view.tsx'
import { PageHead } from '../../show/page-head.tsx'

const MAX_TOKEN_LENGTH = 65_536

export function TestTokenPage() {
  const [explanation, setExplanation] = useState<Explanation>()
  const { form, formError, isBusy, submit } = useServerForm({
    initialValues: { token: '', method: 'ext-jwt' as 'ext-jwt' | 'enroll' },
    validate: { token: required('A token', MAX_TOKEN_LENGTH) },
    send: async ({ token, method }) => setExplanation(await controller.signers.explain(token, { method })),
  })
  return (
    <Stack>
      <PageHead
        title="Test a token"
        description="Shows how this controller would check a token. Nothing is created, and the token is neither stored nor logged."
      />
      <FormFrame onSubmit={submit} error={formError} isBusy={isBusy} submitLabel="Test">
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
          label="Method"
          allowDeselect={false}
          data={[
            { value: 'ext-jwt', label: 'Login (ext-jwt)' },
            { value: 'enroll', label: 'Enrollment' },
          ]}
          {...form.getInputProps('method')}
        />
      </FormFrame>
      {explanation && <ExplanationView explanation={explanation} />}
    </Stack>
  )
}
