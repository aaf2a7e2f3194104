import type { Signer, SignerInput } from '@countersign/sdk'
import { Stack } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { controller } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { useFreshQuery } from '../../api/use-fresh-query.ts'
import { saveChanges, type Versioned } from '../../api/versioned.ts'
import { PageLink } from '../../show/links.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { SignerForm } from './signer-form.tsx'
import { signerQuery } from './signer-query.ts'
import { isPatchable, toReplacement } from './signer-values.ts'

export function EditSignerPage() {
  const { id } = useParams({ from: '/shell/signers/$id/edit' })
  const navigate = useNavigate()
  const query = useFreshQuery(signerQuery(id))
  const save = async (signer: Versioned<Signer>, changed: Partial<SignerInput>) => {
    if (isPatchable(changed)) await saveChanges(controller.signers, signer, changed)
    else await controller.signers.replace(id, toReplacement(signer, changed), { ifMatch: signer.version })
    await queries.invalidateQueries({ queryKey: ['signers'] })
    await navigate({ to: '/signers/$id', params: { id } })
  }
  return (
    <Loaded query={query} back={<PageLink to="/signers">Signers</PageLink>}>
      {(signer) => (
        <Stack>
          <PageHead
            title={`Edit ${signer.name}`}
            back={
              <PageLink to="/signers/$id" params={{ id }}>
                {signer.name}
              </PageLink>
            }
          />
          <SignerForm signer={signer} onSend={(_, changed) => save(signer, changed)} submitLabel="Save" />
        </Stack>
      )}
    </Loaded>
  )
}
