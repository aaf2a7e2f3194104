import { Select, type SelectProps } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { controller } from '../../api/client.ts'
import { withChosen } from '../../form/with-chosen.ts'

const MOST_OFFERED = 500

/** One of the authentication policies; nothing means the default one. */
export function PolicySelect(props: SelectProps) {
  const { data } = useQuery({
    queryKey: ['policies', 'names'],
    queryFn: () => controller.authPolicies.page({ limit: MOST_OFFERED, offset: 0, sort: 'name asc' }),
  })
  const offered = data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? []
  const choices = withChosen(offered, [props.value ?? ''])
  return <Select data={choices} searchable clearable placeholder="The default policy" {...props} />
}
