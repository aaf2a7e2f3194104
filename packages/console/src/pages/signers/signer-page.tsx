import { PageHead } from '../../show/page-head.tsx'

export function SignerPage() {
  return <PageHead title="Signer" />
}
