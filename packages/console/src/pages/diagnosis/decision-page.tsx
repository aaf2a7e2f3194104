import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { controller } from '../../api/client.ts'
import { StateBadge } from '../../show/badges.tsx'
import { CopyId } from '../../show/copy-id.tsx'
import { methodLabel } from '../../show/describe-event.ts'
import { Details, Section } from '../../show/details.tsx'
import { ExplanationView } from '../../show/explanation-view.tsx'
import { Instant } from '../../show/instant.tsx'
import { PageLink } from '../../show/links.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { AddTestCase } from './add-test-case.tsx'
import { CreateForClaim, DecidedIdentity, DecidedSigner } from './decided-names.tsx'

export function DecisionPage() {
  const { id } = useParams({ from: '/shell/decisions/$id' })
  const query = useQuery({
    queryKey: ['decisions', 'one', id],
    queryFn: () => controller.authDecisions.get(id),
  })
  return (
    <Stack>
      <PageHead
        title={`Request ${id}`}
        description="Why the request was refused. Only refusals are recorded, for 24 hours."
        back={<PageLink to="/decisions">Decisions</PageLink>}
      />
      <Loaded query={query}>
        {(decision) => (
          <>
            <Section title="Refused" aside={<StateBadge color="red">{decision.reason}</StateBadge>}>
              <Details
                rows={[
                  ['Time', <Instant key="at" at={decision.at} />],
                  ['Method', methodLabel(decision.method)],
                  ['Address', decision.remoteAddress],
                  ['Claimed identity', decision.claimedIdentity],
                  ['Identity', <DecidedIdentity key="identity" decision={decision} />],
                  ['Signer', <DecidedSigner key="signer" decision={decision} />],
                  ['Request id', <CopyId key="id" id={decision.id} of="the request" />],
                ]}
              />
              <CreateForClaim decision={decision} />
              <AddTestCase signerId={decision.signerId} testCase={decision.testCase} />
            </Section>
            <ExplanationView explanation={decision} />
          </>
        )}
      </Loaded>
    </Stack>
  )
}
