import { SIGNER } from '@countersign/contract/ext-jwt-signer'
import type { PresetSigner } from '@countersign/contract/signer-presets'
import { Alert, List, Stack, Text } from '@mantine/core'
import { Details } from '../../show/details.tsx'
import { remainingRows } from '../../show/remaining-rows.ts'
import type { PresetCheck } from './verify-preset.ts'

interface FilledNoteProps {
  /** The name of the provider. */
  readonly label: string
  readonly signer: PresetSigner
  readonly warnings: readonly string[]
  readonly check: PresetCheck
  /** Whether the form keeps the JWKS endpoint that the administrator named. */
  readonly hasOwnKeys: boolean
}

/** What a preset filled in, what to watch for with this provider, and whether the provider's discovery document agrees. */
export function FilledNote({ label, signer, warnings, check, hasOwnKeys }: FilledNoteProps) {
  return (
    <Stack gap="sm">
      <CheckNote signer={signer} check={check} hasOwnKeys={hasOwnKeys} />
      <Alert color="yellow" variant="light" title="Before you save">
        <List size="sm" spacing={4}>
          {warnings.map((warning) => (
            <List.Item key={warning} className="breakable">
              {warning}
            </List.Item>
          ))}
        </List>
      </Alert>
      <Alert color="blue" variant="light" title={`Also filled in for ${label}`}>
        <Details rows={filledRows(signer)} members={SIGNER.members} />
      </Alert>
    </Stack>
  )
}

/** Members whose inputs are visible below. */
const VISIBLE = ['issuer', 'audience', 'jwksEndpoint']

function filledRows(signer: PresetSigner) {
  const others = Object.keys(SIGNER.members).filter((name) => !(name in signer) || VISIBLE.includes(name))
  return remainingRows(SIGNER.members, signer, others)
}

function CheckNote({ signer, check, hasOwnKeys }: Omit<FilledNoteProps, 'label' | 'warnings'>) {
  const { issuer, jwksEndpoint } = signer
  if (check.state === 'running') return <Text size="sm">Reading the discovery document of the issuer…</Text>
  if (check.state === 'failed') {
    return (
      <Alert color="yellow" variant="light" title="Not verified">
        <Text size="sm" className="breakable">
          The discovery document of {issuer} could not be read: {check.reason}. Check what you entered; you can save the
          signer all the same.
        </Text>
      </Alert>
    )
  }
  const { published } = check
  const difference = hasOwnKeys ? 'The form keeps yours.' : 'The form has it now.'
  return (
    <Alert color="green" variant="light" title="Verified">
      <Text size="sm" className="breakable">
        The provider publishes a discovery document for {issuer}
        {published === jwksEndpoint
          ? ', with the same JWKS endpoint.'
          : `, with the JWKS endpoint ${published}. ${difference}`}
      </Text>
    </Alert>
  )
}
