import { PemField } from '../../../form/pem-field.tsx'
import { type SignerFormProps, signerField } from './signer-field.tsx'

/** How the keys are fetched. */
export function FetchFields({ form }: SignerFormProps) {
  const field = signerField(form)
  return (
    <PemField
      {...field('jwksCaPem', 'CA certificates')}
      description="Trusted for the JWKS endpoint in addition to the system's CAs, for providers with a private CA"
    />
  )
}
