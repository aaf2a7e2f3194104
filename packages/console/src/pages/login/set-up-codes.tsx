import { CountersignError, type OneTimeCodes } from '@countersign/sdk'
import { Alert, Anchor, Button, Center, Code, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { controller } from '../../api/client.ts'
import { reloadSession } from '../../api/session.ts'
import { required } from '../../form/rules.ts'
import { useServerForm } from '../../form/use-server-form.ts'
import { downloadText } from '../../show/download.ts'
import { ErrorNote } from '../../show/error-note.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { QrCode } from '../../show/qr-code.tsx'

interface SetUpCodesProps {
  /** What comes before the QR code. */
  readonly intro?: string
  readonly onDone?: () => Promise<void>
}

/** Sets up one-time codes, in a login whose policy requires them unless said otherwise. Completes the session with the first code. */
export function SetUpCodes({
  intro = 'Your policy requires one-time codes. Scan this with an authenticator app:',
  onDone = reloadSession,
}: SetUpCodesProps) {
  const query = useQuery({
    queryKey: ['one-time-codes'],
    queryFn: startOrLoad,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  return <Loaded query={query}>{(codes) => <Steps codes={codes} intro={intro} onDone={onDone} />}</Loaded>
}

/** Continues a set-up that this session started before, perhaps in another tab. */
async function startOrLoad(): Promise<OneTimeCodes> {
  try {
    return await controller.oneTimeCodes.setUp()
  } catch (error) {
    if (error instanceof CountersignError && error.code === 'MFA_EXISTS') return controller.oneTimeCodes.get()
    throw error
  }
}

function Steps({ codes, intro, onDone }: Required<SetUpCodesProps> & { readonly codes: OneTimeCodes }) {
  const { provisioningUrl = '', recoveryCodes } = codes
  const { form, formError, isBusy, submit } = useServerForm({
    initialValues: { code: '' },
    validate: { code: required('The code', 64) },
    send: ({ code }) => controller.oneTimeCodes.verify(code.trim()).then(onDone),
  })
  const secret = URL.parse(provisioningUrl)?.searchParams.get('secret')
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm">{intro}</Text>
        <Center>
          <QrCode text={provisioningUrl} label="QR code for an authenticator app" />
        </Center>
        <Text size="sm" className="breakable">
          Or{' '}
          <Anchor href={provisioningUrl} underline="always">
            open the app on this device
          </Anchor>
          , or type in this key: <Code>{secret}</Code>
        </Text>
        {recoveryCodes && <RecoveryCodes codes={recoveryCodes} />}
        {formError !== undefined && <ErrorNote error={formError} title="The code was not accepted" />}
        <TextInput
          label="One-time code"
          description="The code that the app shows now"
          autoComplete="one-time-code"
          inputMode="numeric"
          {...form.getInputProps('code')}
        />
        <Button type="submit" loading={isBusy} fullWidth>
          Continue
        </Button>
      </Stack>
    </form>
  )
}

export function RecoveryCodes({ codes }: { readonly codes: readonly string[] }) {
  const save = () => downloadText('recovery-codes.txt', `${codes.join('\n')}\n`, 'text/plain')
  return (
    <Alert color="yellow" variant="light" title="Keep the recovery codes">
      <Stack gap="xs">
        <Text size="sm">Each replaces a code of the app once. To see them again, you need a code.</Text>
        <SimpleGrid component="ul" aria-label="Recovery codes" cols={3} spacing={4} m={0} p={0}>
          {codes.map((code) => (
            <Text key={code} component="li" size="xs" ff="monospace" className="plain-item">
              {code}
            </Text>
          ))}
        </SimpleGrid>
        <div>
          <Button size="xs" variant="default" onClick={save}>
            Download
          </Button>
        </div>
      </Stack>
    </Alert>
  )
}
