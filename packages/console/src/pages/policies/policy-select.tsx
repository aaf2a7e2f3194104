import { Select, type SelectProps } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { controller } from '../../api/client.ts'
import { useMay } from '../../api/use-may.ts'
import { withSelected } from '../../form/with-selected.ts'

const MAX_OPTIONS = 500

/** Selects an authentication policy; empty means the default policy. */
export function PolicySelect(props: SelectProps) {
  const may = useMay()
  const { data } = useQuery({
    queryKey: ['policies', 'names'],
    queryFn: () => controller.authPolicies.page({ limit: MAX_OPTIONS, offset: 0, sort: 'name asc' }),
    enabled: may('GET /auth-policies'),
  })
  const options = data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? []
  const offered = withSelected(options, [props.value ?? ''])
  return <Select data={offered} searchable clearable placeholder="The default policy" {...props} />
}
