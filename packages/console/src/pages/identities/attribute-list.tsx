import type { Identity } from '@countersign/sdk'
import { Text } from '@mantine/core'
import { useSignerNames } from '../policies/use-signer-names.ts'

type Origins = Identity['attributeOrigins']

/** The attributes of an identity, one per line. Those that a signer supplies name it. */
export function AttributeList({ origins }: { readonly origins: Origins }) {
  const { nameOf } = useSignerNames()
  const byAttribute = Map.groupBy(origins, ({ attribute }) => attribute)
  if (byAttribute.size === 0) return <>–</>
  return [...byAttribute].map(([attribute, found]) => {
    const signers = found.flatMap(({ signerId }) => (signerId === undefined ? [] : [nameOf(signerId)]))
    const isManual = found.some(({ origin }) => origin === 'manual')
    return (
      <div key={attribute} className="breakable">
        {attribute}
        {signers.length > 0 && (
          <Text component="span" c="dimmed" inherit>
            {` (from ${[...(isManual ? ['an administrator'] : []), ...signers].join(', ')})`}
          </Text>
        )}
      </div>
    )
  })
}
