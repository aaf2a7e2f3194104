import { SIGNER } from '@countersign/contract/ext-jwt-signer'
import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { controller } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import type { Signer } from '../../api/wire.ts'
import { ActionButton } from '../../show/action-button.tsx'
import { EnabledBadge } from '../../show/badges.tsx'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { Details, Section } from '../../show/details.tsx'
import { furtherRows } from '../../show/further-rows.ts'
import { ButtonLink, OutsideLink, PageLink } from '../../show/links.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { TagList } from '../../show/tag-list.tsx'
import { PolicyName } from '../policies/policy-name.tsx'
import { KeyStatusSection } from './key-status-section.tsx'
import { signerQuery } from './signer-query.ts'
import { PoliciesSection, WhoRefers } from './signer-references.tsx'

const BACK = <PageLink to="/signers">Signers</PageLink>

/** Members with rows of their own below, or in the head of the page. */
const SHOWN_BY_HAND = [
  ...['name', 'enabled', 'issuer', 'audience', 'jwksEndpoint', 'jwksCaPem', 'certPem', 'kid', 'claimsProperty'],
  ...['fingerprint', 'commonName', 'notBefore', 'notAfter', 'useExternalId', 'clockSkewSeconds', 'maxTokenAgeSeconds'],
  ...['requiredClaims', 'tags', 'openIdConfigurationUrl', 'clientId', 'scopes', 'externalAuthUrl', 'targetToken'],
  ...['enrollToCertEnabled', 'enrollToTokenEnabled', 'enrollNameClaimsSelector', 'enrollAttributeClaimsSelector'],
  'enrollAuthPolicyId',
]

const LOOK_EVERY_MS = 10_000

/** One signer: its keys, what it takes, and what can be done with it. */
export function SignerPage() {
  const { id } = useParams({ from: '/shell/signers/$id' })
  const query = useQuery({ ...signerQuery(id), refetchInterval: LOOK_EVERY_MS })
  return (
    <Loaded query={query} back={BACK}>
      {(signer) => <SignerDetail signer={signer} />}
    </Loaded>
  )
}

function SignerDetail({ signer }: { readonly signer: Signer }) {
  return (
    <Stack>
      <PageHead title={signer.name} back={BACK}>
        <SignerActions signer={signer} />
      </PageHead>
      {signer.keyStatus && <KeyStatusSection signer={signer} keyStatus={signer.keyStatus} />}
      <Section title="Tokens" aside={<EnabledBadge enabled={signer.enabled} />}>
        <Details
          rows={[
            ['Issuer', <OutsideLink key="issuer" address={signer.issuer} />],
            ['Audience', signer.audience],
            [
              'Keys from',
              signer.jwksEndpoint ? <OutsideLink key="keys" address={signer.jwksEndpoint} /> : 'its certificate',
            ],
            ['Key id', signer.kid],
            [
              'Who somebody is',
              `${signer.claimsProperty} equals the identity's ${signer.useExternalId ? 'external id' : 'id'}`,
            ],
            ['Clock may be off by', `${signer.clockSkewSeconds} s`],
            ['Longest life of a token', signer.maxTokenAgeSeconds === null ? 'any' : `${signer.maxTokenAgeSeconds} s`],
            ['Required claims', <RequiredClaims key="claims" claims={signer.requiredClaims} />],
            ['Tags', <TagList key="tags" tags={signer.tags} />],
            ...furtherRows(SIGNER.members, signer, SHOWN_BY_HAND),
            ...(signer.jwksCaPem ? [['CA of the endpoint', 'its own, beside those of the system'] as const] : []),
          ]}
        />
      </Section>
      <Section title="Signing in with a browser">
        <Details
          rows={[
            [
              'OpenID configuration',
              signer.openIdConfigurationUrl && <OutsideLink key="openid" address={signer.openIdConfigurationUrl} />,
            ],
            ['Client id', signer.clientId],
            ['Scopes', signer.scopes?.join(' ')],
            [
              'Sign-in address',
              signer.externalAuthUrl && <OutsideLink key="address" address={signer.externalAuthUrl} />,
            ],
            ['Token presented', signer.targetToken === 'ID' ? 'ID token' : 'Access token'],
          ]}
        />
      </Section>
      <Section title="Enrollment by token">
        <Details
          rows={[
            ['For a certificate', signer.enrollToCertEnabled ? 'Yes' : 'No'],
            ['For the use of tokens', signer.enrollToTokenEnabled ? 'Yes' : 'No'],
            ['Name from', signer.enrollNameClaimsSelector],
            ['Attributes from', signer.enrollAttributeClaimsSelector],
            ['Policy', <PolicyName key="policy" id={signer.enrollAuthPolicyId} />],
          ]}
        />
      </Section>
      <PoliciesSection signerId={signer.id} />
    </Stack>
  )
}

function RequiredClaims({ claims }: { readonly claims: Signer['requiredClaims'] }) {
  const lines = Object.entries(claims ?? {}).map(
    ([selector, wanted]) => `${selector}: ${typeof wanted === 'string' ? wanted : wanted.join(' or ')}`,
  )
  if (lines.length === 0) return <>none</>
  return lines.map((line) => <div key={line}>{line}</div>)
}

function SignerActions({ signer: { id, name, enabled } }: { readonly signer: Signer }) {
  const navigate = useNavigate()
  const change = (action: () => Promise<unknown>) => async () => {
    await action()
    await queries.invalidateQueries({ queryKey: ['signers'] })
  }
  const remove = async () => {
    await controller.signers.delete(id)
    await navigate({ to: '/signers' })
    await queries.invalidateQueries({ queryKey: ['signers', 'list'] })
  }
  return (
    <>
      <ButtonLink to="/signers/$id/edit" params={{ id }} variant="default">
        Edit
      </ButtonLink>
      {enabled ? (
        <ConfirmButton
          label="Disable"
          name={name}
          warning="Its tokens are refused from now on, and it is not offered to clients."
          onConfirm={change(() => controller.signers.patch(id, { enabled: false }))}
          done={`The signer “${name}” is disabled.`}
        />
      ) : (
        <ActionButton
          onAct={change(() => controller.signers.patch(id, { enabled: true }))}
          done="The signer is enabled."
        >
          Enable
        </ActionButton>
      )}
      <ConfirmButton
        label="Delete"
        name={name}
        warning={<WhoRefers signerId={id} />}
        onConfirm={remove}
        done={`The signer “${name}” is deleted.`}
      />
    </>
  )
}
