import { Button, Stack } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { controller } from '../../api/client.ts'

/** The signers that clients can log in with; readable without a session. */
export const clientSignersQuery = queryOptions({
  queryKey: ['client-signers'],
  queryFn: () => controller.listClientSigners(),
})

interface ProviderButtonsProps {
  readonly divider: ReactNode
  /** The page to open after the login. */
  readonly next: string | undefined
}

/** A button for each enabled signer that supports browser login. */
export function ProviderButtons({ divider, next }: ProviderButtonsProps) {
  const { data: signers = [] } = useQuery(clientSignersQuery)
  const usable = signers.filter(({ openIdConfigurationUrl, clientId }) => openIdConfigurationUrl && clientId)
  if (usable.length === 0) return null
  return (
    <>
      {divider}
      <Stack gap="xs">
        {usable.map(({ id, name }) => (
          <Button key={id} variant="default" component="a" href={providerLoginUrl(id, next)} fullWidth>
            Continue with {name}
          </Button>
        ))}
      </Stack>
    </>
  )
}

/** The server's path that starts a login at a provider. */
export function providerLoginUrl(signerId: string, next: string | undefined): string {
  const query = next === undefined ? '' : `?${new URLSearchParams({ next })}`
  return `/console/login/${encodeURIComponent(signerId)}${query}`
}
