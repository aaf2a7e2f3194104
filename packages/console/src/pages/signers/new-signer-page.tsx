import type { SignerInput } from '@countersign/sdk'
import { Stack } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { controller } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { PageLink } from '../../show/links.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { SignerForm } from './signer-form.tsx'

export function NewSignerPage() {
  const navigate = useNavigate()
  const create = async (body: SignerInput) => {
    const id = await controller.signers.create(body)
    await queries.invalidateQueries({ queryKey: ['signers'] })
    await navigate({ to: '/signers/$id', params: { id } })
  }
  return (
    <Stack>
      <PageHead
        title="Add a signer"
        description="Choose your identity provider, or enter an issuer URL and fill in the form from its discovery document, or paste a certificate."
        back={<PageLink to="/signers">Signers</PageLink>}
      />
      <SignerForm onSend={create} submitLabel="Add the signer" />
    </Stack>
  )
}
