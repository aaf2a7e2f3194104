import { Select, type SelectProps } from '@mantine/core'
import { withSelected } from '../../form/with-selected.ts'
import { useSignerNames } from '../policies/use-signer-names.ts'

/** Selects a signer; empty means none in particular. */
export function SignerSelect(props: SelectProps) {
  const { signers } = useSignerNames()
  const options = signers.map(({ id, name }) => ({ value: id, label: name }))
  return <Select data={withSelected(options, [props.value ?? ''])} searchable clearable {...props} />
}
