import { SIGNER } from '@countersign/contract/ext-jwt-signer'
import type { UseFormReturnType } from '@mantine/form'
import { FieldLabel } from '../../../show/field-label.tsx'
import type { SignerValues } from '../signer-values.ts'

export type SignerForm = UseFormReturnType<SignerValues>
export type SignerFormProps = { readonly form: SignerForm }

/** Returns the properties of an input by the member's name: its label, with the name in the API as tooltip, its value and its error. */
export function signerField(form: SignerForm) {
  return (name: string, label: string, options: { readonly type?: 'checkbox' } = {}) => ({
    label: (
      <FieldLabel members={SIGNER.members} name={name}>
        {label}
      </FieldLabel>
    ),
    ...form.getInputProps(name, options),
  })
}
