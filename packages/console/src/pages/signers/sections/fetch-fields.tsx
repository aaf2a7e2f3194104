import { PemField } from '../../../form/pem-field.tsx'
import { FetchAccessFields } from './key-set-fields.tsx'
import { type SignerFormProps, signerField } from './signer-field.tsx'

/** How the keys are fetched. */
export function FetchFields({ form, hasAuthorization }: SignerFormProps & { readonly hasAuthorization: boolean }) {
  const field = signerField(form)
  return (
    <>
      <FetchAccessFields form={form} hasAuthorization={hasAuthorization} />
      <PemField
        {...field('jwksCaPem', 'CA certificates')}
        description="Trusted for the JWKS endpoint in addition to the system's CAs, for providers with a private CA"
      />
    </>
  )
}
