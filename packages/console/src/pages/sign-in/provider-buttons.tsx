import { Button, Stack } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { controller } from '../../api/client.ts'

/** The signers that one may sign in with; anybody may know them. */
export const clientSignersQuery = queryOptions({
  queryKey: ['client-signers'],
  queryFn: () => controller.listClientSigners(),
})

interface ProviderButtonsProps {
  readonly divider: ReactNode
  /** The page to go on to. */
  readonly next: string | undefined
}

/** A way in for each enabled signer with which a browser can sign in. */
export function ProviderButtons({ divider, next }: ProviderButtonsProps) {
  const { data: signers = [] } = useQuery(clientSignersQuery)
  const usable = signers.filter(({ openIdConfigurationUrl, clientId }) => openIdConfigurationUrl && clientId)
  if (usable.length === 0) return null
  return (
    <>
      {divider}
      <Stack gap="xs">
        {usable.map(({ id, name }) => (
          <Button key={id} variant="default" component="a" href={providerWay(id, next)} fullWidth>
            Continue with {name}
          </Button>
        ))}
      </Stack>
    </>
  )
}

/** Where the server begins a sign-in at a provider. */
export function providerWay(signerId: string, next: string | undefined): string {
  const query = next === undefined ? '' : `?${new URLSearchParams({ next })}`
  return `/console/login/${encodeURIComponent(signerId)}${query}`
}
