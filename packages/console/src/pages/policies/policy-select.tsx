import { Select, type SelectProps } from '@mantine/core'
import { withSelected } from '../../form/with-selected.ts'
import { usePolicyNames } from './use-policy-names.ts'

/** Selects an authentication policy; empty means the default policy. */
export function PolicySelect(props: SelectProps) {
  const offered = withSelected(usePolicyNames(), [props.value ?? ''])
  return <Select data={offered} searchable clearable placeholder="The default policy" {...props} />
}
