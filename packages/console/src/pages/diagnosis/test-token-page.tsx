import { testCaseOfToken } from '@countersign/contract/token-test-case'
import { Select, Stack, Textarea } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { controller } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import type { Explanation } from '../../api/wire.ts'
import { FormFrame } from '../../form/form-frame.tsx'
import { required } from '../../form/rules.ts'
import { useServerForm } from '../../form/use-server-form.ts'
import { type DecodedToken, decodeToken } from '../../show/decode-token.ts'
import { DecodedTokenView } from '../../show/decoded-token.tsx'
import { ExplanationView } from '../../show/explanation-view.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { FIRST_STEPS_KEY, type FirstStepsState } from '../overview/first-steps-state.ts'
import { SignerSelect } from '../signers/signer-select.tsx'
import { AddTestCase } from './add-test-case.tsx'

const MAX_TOKEN_LENGTH = 65_536

export function TestTokenPage() {
  const { signer } = useSearch({ from: '/shell/test-token' })
  const [tested, setTested] = useState<Tested>()
  const { form, formError, isBusy, submit } = useServerForm({
    initialValues: { token: '', method: 'ext-jwt' as 'ext-jwt' | 'enroll', signerId: signer ?? '' },
    validate: { token: required('A token', MAX_TOKEN_LENGTH) },
    asksBeforeLeaving: false,
    send: async ({ token, method, signerId }) => {
      const explanation = await controller.signers.explain(token, { method, ...(signerId && { signerId }) })
      queries.setQueryData<FirstStepsState>(FIRST_STEPS_KEY, (known) => ({ ...known, isTokenTested: true }))
      setTested({ explanation, decoded: decodeToken(token), at: new Date() })
    },
  })
  return (
    <Stack>
      <PageHead
        title="Test a token"
        description="Shows how this controller would check a token. Nothing is created, and the token is neither stored nor logged."
      />
      <FormFrame onSubmit={submit} error={formError} isBusy={isBusy} submitLabel="Test" onCancel={form.reset}>
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
        <SignerSelect
          label="Signer"
          description="Compares the token with this signer only, whatever its issuer"
          placeholder="Every signer that matches or nearly matches"
          {...form.getInputProps('signerId')}
        />
      </FormFrame>
      {tested?.decoded && <DecodedTokenView token={tested.decoded} />}
      {tested && <AddAsTestCase key={tested.at.getTime()} tested={tested} />}
      {tested && <ExplanationView explanation={tested.explanation} />}
    </Stack>
  )
}

interface Tested {
  readonly explanation: Explanation
  readonly decoded: DecodedToken | undefined
  readonly at: Date
}

/** Several signers with the issuer and the audience of one token are rare: the first one is meant. */
function AddAsTestCase({ tested: { explanation, decoded, at } }: { readonly tested: Tested }) {
  const [signer] = explanation.signers
  if (!signer || !decoded) return null
  return <AddTestCase signerId={signer.signerId} testCase={testCaseOfToken(decoded, signer, at)} />
}
