import { Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { queries } from '../../api/queries.ts'
import { StateBadge } from '../../show/badges.tsx'
import { Section } from '../../show/details.tsx'
import { ButtonLink } from '../../show/links.tsx'
import { FIRST_STEPS_KEY, type FirstStepsState, isEmptyInstallation, stepsDone } from './first-steps-state.ts'

const STEPS = [
  {
    name: 'provider',
    title: 'Add a provider',
    text: 'A signer tells the controller whose tokens to accept: Entra, Okta, Keycloak, GitHub Actions or another one.',
    to: '/signers/new',
  },
  {
    name: 'token',
    title: 'Test a token',
    text: 'Paste a token of the provider, and see every check with its result before anyone logs in.',
    to: '/test-token',
  },
  {
    name: 'person',
    title: 'Invite a person',
    text: 'Add an identity, and give its one-time token to the person or the device.',
    to: '/identities/new',
  },
] as const

/** What to do first in an empty installation. Stays until everything is done, or the page is loaded again. */
export function FirstSteps({ summary }: { readonly summary: Readonly<Record<string, number>> }) {
  const { data: state = {} } = useQuery<FirstStepsState>({ queryKey: FIRST_STEPS_KEY, enabled: false })
  const isShown = state.isHidden !== true && (isEmptyInstallation(summary) || state.wasEmpty === true)
  if (!isShown) return null
  if (!state.wasEmpty) queueMicrotask(() => remember({ wasEmpty: true }))
  const done = stepsDone(summary, state)
  const count = STEPS.filter(({ name }) => done[name]).length
  return (
    <Section title="First steps" aside={<Text size="sm">{`${count} of ${STEPS.length} done`}</Text>}>
      <Progress value={(count / STEPS.length) * 100} aria-label={`First steps: ${count} of ${STEPS.length} done`} />
      <Stack component="ol" gap="sm" m={0} p={0}>
        {STEPS.map(({ name, title, text, to }, index) => (
          <Group key={name} component="li" justify="space-between" gap="xs" className="plain-item">
            <Stack gap={2} flex="1 1 14rem">
              <Text fw={600}>
                {index + 1}. {title}
              </Text>
              <Text size="sm" c="dimmed">
                {text}
              </Text>
            </Stack>
            {done[name] ? (
              <StateBadge color="green">Done</StateBadge>
            ) : (
              <ButtonLink to={to} size="xs" variant="default">
                {title}
              </ButtonLink>
            )}
          </Group>
        ))}
      </Stack>
      {count === STEPS.length && (
        <div>
          <Button size="xs" variant="default" onClick={() => remember({ isHidden: true })}>
            Hide
          </Button>
        </div>
      )}
    </Section>
  )
}

function remember(change: FirstStepsState): void {
  queries.setQueryData<FirstStepsState>(FIRST_STEPS_KEY, (known) => ({ ...known, ...change }))
}
