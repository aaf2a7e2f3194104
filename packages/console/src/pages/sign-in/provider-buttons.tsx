import { Button, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { controller } from '../../api/client.ts'

/** A way in for each enabled signer with which a browser can sign in. */
export function ProviderButtons({ divider }: { readonly divider: ReactNode }) {
  const { data: signers = [] } = useQuery({
    queryKey: ['client-signers'],
    queryFn: () => controller.listClientSigners(),
  })
  const usable = signers.filter(({ openIdConfigurationUrl, clientId }) => openIdConfigurationUrl && clientId)
  if (usable.length === 0) return null
  return (
    <>
      {divider}
      <Stack gap="xs">
        {usable.map(({ id, name }) => (
          <Button key={id} variant="default" component="a" href={providerWay(id)} fullWidth>
            Continue with {name}
          </Button>
        ))}
      </Stack>
    </>
  )
}

/** Where the server begins a sign-in at a provider. */
export function providerWay(signerId: string): string {
  return `/console/login/${encodeURIComponent(signerId)}`
}
